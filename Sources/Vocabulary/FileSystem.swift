// SPDX-License-Identifier: Apache-2.0
// Folders and files as the product sees them: always by a held descriptor and one checked name, never
// by a path. `Linux` has the real ones; `Tests/Support` has one that forgets what was not synced.

/// One component of a path: bytes, checked. It cannot leave its folder.
package struct FileName: Hashable, Sendable, CustomStringConvertible {
  package let bytes: [UInt8]

  /// Refuses the empty name, `.`, `..`, and names with a slash, a NUL or more than 255 bytes.
  package init?(bytes: some Collection<UInt8>) {
    let bytes = Array(bytes)
    guard !bytes.isEmpty, bytes.count <= 255, bytes != [0x2E], bytes != [0x2E, 0x2E],
      !bytes.contains(0x2F), !bytes.contains(0)
    else { return nil }
    self.bytes = bytes
  }

  /// A name that a folder's listing told: nil for `.` and `..`.
  package init?(listed bytes: ArraySlice<UInt8>) {
    guard bytes.first != 0x2E || !(bytes.count == 1 || bytes.elementsEqual([0x2E, 0x2E]))
    else { return nil }
    self.bytes = Array(bytes)
  }

  package init?(_ text: some StringProtocol) { self.init(bytes: Array(text.utf8)) }

  /// A name written in the program.
  package init(literal text: StaticString) {
    guard let name = FileName("\(text)") else { preconditionFailure("not a file name: \(text)") }
    self = name
  }

  /// At least so many digits, with zeros before.
  package init(number: UInt64, digits: Int = 1) {
    var bytes: [UInt8] = []
    bytes.append(decimal: number, digits: digits)
    self.bytes = bytes
  }

  /// Safe to show: control characters, quotes of the terminal and broken UTF-8 are escaped.
  package var description: String { Printable.text(bytes) }

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
  /// Names that the file has.
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
  /// Must not exist yet.
  case create
  /// Opened if it exists, else made.
  case ensure
}

package protocol OpenFile: AnyObject, Sendable {
  /// The kernel's number, for handing the file to a worker; -1 in a simulation.
  var descriptor: Int32 { get }
  func status() throws(SystemError) -> FileStatus
  /// What is there from `offset` on, at most `count` bytes; empty at the end.
  func read(at offset: UInt64, upTo count: Int) throws(SystemError) -> [UInt8]
  /// All bytes or an error.
  func write(_ bytes: [UInt8], at offset: UInt64) throws(SystemError)
  func truncate(to size: UInt64) throws(SystemError)
  /// Takes disk blocks ahead without changing the size.
  func reserve(_ size: UInt64) throws(SystemError)
  /// Begins to bring the contents to the disk, without waiting: the syncs of several files that were begun
  /// together cost little more than one. No promise.
  func beginSync()
  /// The contents are on the disk when this returns (fdatasync). After an error never again: the
  /// kernel reports a lost page once.
  func sync() throws(SystemError)
}

package protocol Folder: AnyObject, Sendable {
  /// For people and logs only.
  var path: String { get }
  func open(_ name: FileName, _ use: FileUse) throws(SystemError) -> any OpenFile
  /// A folder in this one; `creating` makes it (0700) where it is missing.
  func folder(_ name: FileName, creating: Bool) throws(SystemError) -> any Folder
  /// Unless `replacing`, an existing name is an error (EEXIST).
  func rename(
    _ name: FileName, to folder: any Folder, as newName: FileName, replacing: Bool
  ) throws(SystemError)
  /// Another name for the same file; an existing one is an error (EEXIST). Not every file system
  /// has such names (EOPNOTSUPP, EPERM), and none across its border (EXDEV).
  func link(_ name: FileName, to folder: any Folder, as newName: FileName) throws(SystemError)
  func remove(_ name: FileName) throws(SystemError)
  /// An empty folder in this one.
  func removeFolder(_ name: FileName) throws(SystemError)
  /// All names but `.` and `..`, in no order.
  func names() throws(SystemError) -> [FileName]
  /// The same with what kinds of things they are, where that costs nothing more.
  func entries() throws(SystemError) -> [FolderEntry]
  func status(of name: FileName) throws(SystemError) -> FileStatus
  /// Names made, renamed and removed in this folder are on the disk when this returns.
  func sync() throws(SystemError)
  /// Everything on the folder's file system is on the disk when this returns (syncfs).
  func syncFileSystem() throws(SystemError)
  /// The device number of the folder's file system.
  func device() throws(SystemError) -> UInt64
  /// Bytes that this user can still write.
  func freeSpace() throws(SystemError) -> UInt64
  /// Bytes of the folder's whole file system.
  func totalSpace() throws(SystemError) -> UInt64
  func setMode(_ mode: UInt32, of name: FileName) throws(SystemError)
}

extension OpenFile {
  package func beginSync() {}
}

/// A name in a folder, and what it is where the folder says.
package struct FolderEntry: Equatable, Sendable {
  package let name: FileName
  package let kind: FileStatus.Kind?

  package init(_ name: FileName, _ kind: FileStatus.Kind?) {
    self.name = name
    self.kind = kind
  }
}

extension Folder {
  package func entries() throws(SystemError) -> [FolderEntry] {
    try names().map { FolderEntry($0, nil) }
  }

  package func link(_ name: FileName, to folder: any Folder, as newName: FileName)
    throws(SystemError)
  {
    throw SystemError(code: 95, call: "link", thing: "\(path)/\(name)")
  }

  /// Whether the name exists, whatever it is.
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
