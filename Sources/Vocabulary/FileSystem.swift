// SPDX-License-Identifier: Apache-2.0
// Folders and files as the stages see them: a folder and one checked name in it, never a path. `Linux`
// has the real ones; `Tests/Support` has a simulated disk that forgets everything not synced.

/// One component of a path: bytes, checked. It cannot leave its folder.
package struct FileName: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let bytes: [UInt8]

  /// Refuses the empty name, `.`, `..`, and names with a slash, a NUL or more than 255 bytes.
  package init?(bytes: some Collection<UInt8>) {
    let bytes = Array(bytes)
    guard !bytes.isEmpty, bytes.count <= 255, bytes != [0x2E], bytes != [0x2E, 0x2E],
      !bytes.contains(0x2F), !bytes.contains(0)
    else { return nil }
    self.bytes = bytes
  }

  /// A name from a folder's listing: nil for `.` and `..`.
  package init?(listed bytes: ArraySlice<UInt8>) {
    guard bytes.first != 0x2E || !(bytes.count == 1 || bytes.elementsEqual([0x2E, 0x2E]))
    else { return nil }
    self.bytes = Array(bytes)
  }

  package init?(_ text: some StringProtocol) { self.init(bytes: Array(text.utf8)) }

  /// A name that the program composes: short, and without unchecked bytes from outside.
  package init(made bytes: some Collection<UInt8>) {
    guard let name = FileName(bytes: bytes) else {
      preconditionFailure("not a file name: \(Printable.text(Array(bytes)))")
    }
    self = name
  }

  package init(made text: String) { self.init(made: text.utf8) }

  /// A name written in the program.
  package init(literal text: StaticString) { self.init(made: "\(text)") }

  /// The number in decimal, padded with leading zeros to `digits`.
  package init(number: UInt64, digits: Int = 1) {
    var bytes: [UInt8] = []
    bytes.append(decimal: number, digits: digits)
    self.bytes = bytes
  }

  /// Safe to show: control characters, direction marks and broken UTF-8 are escaped.
  package var description: String { Printable.text(bytes) }

  /// The path of the file of this name in a folder, with the bytes of the name unescaped.
  package func path(in folder: String) -> String {
    "\(folder)/\(String(decoding: bytes, as: UTF8.self))"
  }

  package static func < (one: FileName, other: FileName) -> Bool {
    one.bytes.lexicographicallyPrecedes(other.bytes)
  }

  package func hasSuffix(_ suffix: StaticString) -> Bool {
    bytes.count > suffix.utf8CodeUnitCount
      && bytes.suffix(suffix.utf8CodeUnitCount).elementsEqual("\(suffix)".utf8)
  }
}

package struct FileStatus: Equatable, Sendable {
  package enum Kind: Sendable { case file, folder, link, other }

  package let kind: Kind
  package let device: UInt64
  package let inode: UInt64
  package let size: UInt64
  package let owner: UInt32
  package let mode: UInt32
  /// Nanoseconds since 1970.
  package let modified: Int64
  package let changed: Int64
  /// The number of the file's names.
  package let links: UInt64

  package init(
    kind: Kind, device: UInt64, inode: UInt64, size: UInt64, owner: UInt32, mode: UInt32,
    modified: Int64, changed: Int64, links: UInt64 = 1
  ) {
    self.kind = kind
    self.device = device
    self.inode = inode
    self.size = size
    self.owner = owner
    self.mode = mode
    self.modified = modified
    self.changed = changed
    self.links = links
  }
}

/// How a file is opened. Links are never followed.
package enum FileUse: Sendable {
  case read
  case write
  /// The file must not exist.
  case create
  /// The file is created if it is missing.
  case ensure
}

package protocol OpenFile: AnyObject, Sendable {
  /// The kernel's number, with which the file is handed to a worker; -1 in a simulation.
  var descriptor: Int32 { get }
  func status() throws(SystemError) -> FileStatus
  /// The file's creation time, in nanoseconds since 1970; 0 if the file system does not record it.
  func birth() throws(SystemError) -> Int64
  /// At most `count` bytes from `offset` on; empty at the end.
  func read(at offset: UInt64, upTo count: Int) throws(SystemError) -> [UInt8]
  /// The next bytes at or after `offset` that are not a hole; nil if there are no more. A file system that does not know its
  /// holes has none.
  func data(from offset: UInt64) throws(SystemError) -> Range<UInt64>?
  /// Writes all bytes or raises an error.
  func write(_ bytes: [UInt8], at offset: UInt64) throws(SystemError)
  func truncate(to size: UInt64) throws(SystemError)
  /// Allocates disk blocks in advance, without changing the size.
  func reserve(_ size: UInt64) throws(SystemError)
  /// Starts writing the contents to the disk and returns: several files begun together then sync in
  /// little more time than one. Promises nothing.
  func beginSync()
  /// The contents are on the disk when this returns (fdatasync). Never call it again after an error:
  /// the kernel reports a lost page only once.
  func sync() throws(SystemError)
  /// Call after a sync of the whole file system, which tells an error once: raises the error of writing this file that
  /// no sync has told this descriptor.
  func checkWritten() throws(SystemError)
  func setMode(_ mode: UInt32) throws(SystemError)
  /// The same as `Folder.setReader`, for a file.
  func setReader(_ user: UInt32) throws(SystemError)
}

package protocol Folder: AnyObject, Sendable {
  /// For people and logs only.
  var path: String { get }
  func open(_ name: FileName, _ use: FileUse) throws(SystemError) -> any OpenFile
  /// A new file without a name, which is gone with its last descriptor. `name` is free, and is used for a moment where
  /// the file system has no files without names.
  func openUnnamed(_ name: FileName) throws(SystemError) -> any OpenFile
  /// A folder in this one; `creating` makes it (0700) if it is missing.
  func folder(_ name: FileName, creating: Bool) throws(SystemError) -> any Folder
  /// Makes a folder in this one (0700). An existing name is an error (EEXIST), even if another machine makes it at the
  /// same time.
  func makeFolder(_ name: FileName) throws(SystemError)
  /// Unless `replacing`, an existing name is an error (EEXIST).
  func rename(
    _ name: FileName, to folder: any Folder, as newName: FileName, replacing: Bool
  ) throws(SystemError)
  /// Another name for the same file; an existing name is an error (EEXIST). Not every file system has
  /// links (EOPNOTSUPP, EPERM), and no link crosses two file systems (EXDEV).
  func link(_ name: FileName, to folder: any Folder, as newName: FileName) throws(SystemError)
  /// A rename that never replaces a name (EEXIST), even if another machine makes it at the same time. EINVAL where the
  /// file system cannot promise that.
  func renameOnce(_ name: FileName, to folder: any Folder, as newName: FileName) throws(SystemError)
  func remove(_ name: FileName) throws(SystemError)
  /// Removes an empty folder in this one.
  func removeFolder(_ name: FileName) throws(SystemError)
  /// All names except `.` and `..`, in no particular order.
  func names() throws(SystemError) -> [FileName]
  /// The same with the kind of each entry, if the listing includes it.
  func entries() throws(SystemError) -> [FolderEntry]
  /// There is no name in it. Reads no long listing to the end.
  func isEmpty() throws(SystemError) -> Bool
  func status(of name: FileName) throws(SystemError) -> FileStatus
  /// Changes to the names in this folder are on the disk when this returns.
  func sync() throws(SystemError)
  /// Everything on the folder's file system is on the disk when this returns (syncfs).
  func syncFileSystem() throws(SystemError)
  /// The folder that the path leads to now. A task of several calls uses it, because `PathFolder` follows its path
  /// with each call.
  func standing() throws(SystemError) -> any Folder
  func identity() throws(SystemError) -> FolderIdentity
  /// Of the folder that has the name now.
  func identity(of name: FileName) throws(SystemError) -> FolderIdentity
  /// Something is mounted here, be it another folder of the same file system.
  var isMountPoint: Bool { get }
  /// Another file system than the folder's is mounted over the name. Does not ask that file system, which may hang.
  func isOtherFileSystem(_ name: FileName) -> Bool
  /// The room on the folder's file system.
  func room() throws(SystemError) -> DiskRoom
  func setMode(_ mode: UInt32, of name: FileName) throws(SystemError)
  /// Lets this user alone read the file, or enter and list the folder, besides its owner, by an access
  /// control list. ENOTSUP if the file system has none.
  func setReader(_ user: UInt32, of name: FileName) throws(SystemError)
  /// The user that `setReader` let read.
  func reader(of name: FileName) throws(SystemError) -> UInt32?
  /// Raises EACCES or EROFS if this process can neither make nor remove names in the folder.
  func checkChanges() throws(SystemError)
}

/// The same for all paths and descriptors of a folder: a folder that replaces it has another identity.
package struct FolderIdentity: Hashable, Sendable {
  /// The device number of its file system.
  package let device: UInt64
  package let inode: UInt64

  package init(device: UInt64, inode: UInt64) { (self.device, self.inode) = (device, inode) }
}

extension OpenFile {
  package func beginSync() {}
  package func checkWritten() throws(SystemError) {}
  package func birth() throws(SystemError) -> Int64 { 0 }

  package func data(from offset: UInt64) throws(SystemError) -> Range<UInt64>? {
    let size = try status().size
    return offset < size ? offset..<size : nil
  }

  package func setMode(_ mode: UInt32) throws(SystemError) {
    throw SystemError(.notSupported, call: "fchmod", thing: "a file")
  }

  package func setReader(_ user: UInt32) throws(SystemError) {
    throw SystemError(.notSupported, call: "fsetxattr", thing: "a file")
  }
}

/// A name in a folder, and its kind if the listing includes it.
package struct FolderEntry: Equatable, Sendable {
  package let name: FileName
  package let kind: FileStatus.Kind?

  package init(_ name: FileName, _ kind: FileStatus.Kind?) {
    self.name = name
    self.kind = kind
  }
}

extension Folder {
  package func checkChanges() throws(SystemError) {}

  package func openUnnamed(_ name: FileName) throws(SystemError) -> any OpenFile {
    try openAndRemove(name)
  }

  /// For file systems without unnamed files. A crash between the calls leaves the name to the next one.
  package func openAndRemove(_ name: FileName) throws(SystemError) -> any OpenFile {
    try removeIfThere(name)
    let file = try open(name, .create)
    try remove(name)
    return file
  }

  package func standing() throws(SystemError) -> any Folder { self }

  /// For folders that one process has.
  package func makeFolder(_ name: FileName) throws(SystemError) {
    if try has(name) { throw SystemError(.exists, call: "mkdirat", thing: "\(path)/\(name)") }
    _ = try folder(name, creating: true)
  }

  package func isEmpty() throws(SystemError) -> Bool { try entries().isEmpty }

  package func identity(of name: FileName) throws(SystemError) -> FolderIdentity {
    let status = try status(of: name)
    return FolderIdentity(device: status.device, inode: status.inode)
  }

  /// The device number of the folder's file system.
  package func device() throws(SystemError) -> UInt64 { try identity().device }
  package var isMountPoint: Bool { false }
  package func isOtherFileSystem(_ name: FileName) -> Bool { false }

  package func setReader(_ user: UInt32, of name: FileName) throws(SystemError) {
    throw SystemError(.notSupported, call: "fsetxattr", thing: "\(path)/\(name)")
  }

  package func reader(of name: FileName) throws(SystemError) -> UInt32? {
    throw SystemError(.notSupported, call: "fgetxattr", thing: "\(path)/\(name)")
  }

  package func entries() throws(SystemError) -> [FolderEntry] {
    try names().map { FolderEntry($0, nil) }
  }

  package func link(_ name: FileName, to folder: any Folder, as newName: FileName)
    throws(SystemError)
  {
    throw SystemError(.notSupported, call: "link", thing: "\(path)/\(name)")
  }

  package func renameOnce(_ name: FileName, to folder: any Folder, as newName: FileName)
    throws(SystemError)
  {
    throw SystemError(.invalid, call: "rename", thing: "\(path)/\(name)")
  }

  /// True if the name exists, as a file or anything else.
  package func has(_ name: FileName) throws(SystemError) -> Bool {
    do {
      _ = try status(of: name)
      return true
    } catch {
      if error.isMissing { return false }
      throw error
    }
  }

  package func removeIfThere(_ name: FileName) throws(SystemError) {
    do { try remove(name) } catch { if !error.isMissing { throw error } }
  }
}
