// SPDX-License-Identifier: Apache-2.0
// A fresh folder that is removed with its object, and the acts of users on files in it.

import Glibc
import Linux
import Support
import Testing
import Vocabulary

final class ScratchFolder: Sendable {
  let path: String
  let folder: LinuxFolder
  private let parent: LinuxFolder
  private let name: FileName

  init() throws {
    parent = try LinuxFolder.open(path: TemporaryPlace.path)
    let random = try ThisProcess.randomBytes(8).map { String($0, radix: 16) }.joined()
    let text = "darkroom-accept-\(random)"
    name = try #require(FileName(text))
    folder = try parent.openFolder(name, creating: true)
    path = folder.path
  }

  deinit { try? Self.remove(name, from: parent) }

  func subfolder(_ text: String) throws -> LinuxFolder {
    try folder.openFolder(try #require(FileName(text)), creating: true)
  }

  static func remove(_ name: FileName, from parent: any Folder) throws {
    guard try parent.status(of: name).kind == .folder else { return try parent.remove(name) }
    let folder = try parent.folder(name, creating: false)
    for entry in try folder.names() { try remove(entry, from: folder) }
    try parent.removeFolder(name)
  }
}

/// Direct system calls, as other programs make them.
enum User {
  static func link(_ old: String, _ new: String) { unsafe _ = Glibc.link(old, new) }
  static func symlink(_ target: String, _ path: String) { unsafe _ = Glibc.symlink(target, path) }
  /// As `touch -d` does, in seconds since 1970.
  static func date(_ path: String, _ seconds: Int) {
    let time = timespec(tv_sec: seconds, tv_nsec: 0)
    unsafe _ = [time, time].withUnsafeBufferPointer {
      unsafe utimensat(AT_FDCWD, path, $0.baseAddress, 0)
    }
  }

  /// Swaps both names in one step (renameat2 with RENAME_EXCHANGE).
  static func exchange(_ one: String, _ other: String) {
    #expect(NameExchange.swap(one, other))
  }

  static func socket(_ path: String) { unsafe _ = mknod(path, S_IFSOCK | 0o644, 0) }
  /// /dev/null under another name.
  static func device(_ path: String) { unsafe _ = mknod(path, S_IFCHR | 0o644, 0x103) }
  static func unlink(_ path: String) { unsafe _ = Glibc.unlink(path) }
  /// As `rm -r`, repeated until the folder is gone: a daemon may create something in it meanwhile.
  static func remove(_ path: String) {
    let parts = path.split(separator: "/")
    guard let name = parts.last.flatMap({ FileName($0) }),
      let parent = try? LinuxFolder.open(path: "/" + parts.dropLast().joined(separator: "/"))
    else { return }
    let end = ContinuousClock.now + Patience.time
    while (try? parent.status(of: name)) != nil, ContinuousClock.now < end {
      try? ScratchFolder.remove(name, from: parent)
    }
  }
  static func fifo(_ path: String) { unsafe _ = mkfifo(path, 0o644) }
  static func rename(_ old: String, _ new: String) { unsafe _ = Glibc.rename(old, new) }
  static func mode(_ path: String, _ mode: UInt32) { unsafe _ = chmod(path, mode) }
  static func open(_ path: String, _ flags: Int32) -> Int32 {
    unsafe Glibc.open(path, flags | O_CLOEXEC, 0o644)
  }

  static func write(_ descriptor: Int32, _ text: String) {
    let bytes = Array(text.utf8)
    unsafe _ = bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
  }

  /// As `cp` does: creates, writes, closes.
  static func put(_ path: String, _ text: String) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC)
    write(file, text)
    close(file)
  }

  /// Creates a file without a name (O_TMPFILE); returns its open descriptor.
  static func unnamed(in folder: String) -> Int32 {
    open(folder, O_RDWR | 0o20_000_000 | O_DIRECTORY)
  }

  static func name(_ descriptor: Int32, _ path: String) {
    unsafe _ = linkat(
      AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, path, AT_SYMLINK_FOLLOW)
  }
}
