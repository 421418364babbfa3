// SPDX-License-Identifier: Apache-2.0
// The changes that ring the doorbell, on the real kernel; the kinds of file systems; the entries of
// a folder.

import Foundation
import Linux
import Support
import Testing
import Vocabulary

@Suite struct DoorbellTests {
  private static let mark = FileName(literal: ".mark")

  @Test func `a new file in the folder rings; a removed one does not, unless it is the mark`()
    throws
  {
    let place = try FreshFolder()
    let folder = try LinuxFolder.open(path: place.path)
    let bell = try Doorbell()
    _ = try folder.openFolder(Self.mark, creating: true)
    try bell.watch(folder, mark: Self.mark)
    #expect(bell.drain() == [])
    let name = FileName(literal: "a")
    _ = try folder.openFile(name, .create)
    #expect(bell.drain() == .folder)
    try folder.remove(name)
    #expect(bell.drain() == [])
    try folder.removeFolder(Self.mark)
    #expect(bell.drain() == .folder)
    bell.leave()
    #expect(!bell.isWatching)
    _ = try folder.openFile(name, .create)
    #expect(bell.drain() == [])
  }

  @Test func `files in a folder that is listened to ring, until it is not`() throws {
    let place = try FreshFolder()
    let folder = try LinuxFolder.open(path: place.path)
    let bell = try Doorbell()
    try bell.watch(folder, mark: Self.mark)
    let (barn, other) = (FileName(literal: "barn"), FileName(literal: "other"))
    let inner = try folder.openFolder(barn, creating: true)
    _ = try folder.openFolder(other, creating: true)
    _ = bell.drain()
    bell.listen(inside: [barn, other, FileName(literal: "missing")], of: folder)
    #expect(bell.drain() == [])
    let name = FileName(literal: "a")
    _ = try inner.openFile(name, .create)
    #expect(bell.drain() == .folder)
    #expect(bell.takeRung() == [barn] && bell.takeRung().isEmpty)
    try inner.remove(name)
    #expect(bell.drain() == [])
    bell.listen(inside: [other], of: folder)
    _ = bell.drain()
    _ = try inner.openFile(name, .create)
    #expect(bell.drain() == [])
    // A folder that was replaced under its name is another one.
    try folder.removeFolder(other)
    _ = try folder.openFolder(other, creating: true)
    _ = bell.drain()
    bell.listen(inside: [other], of: folder)
    _ = try folder.openFolder(other, creating: false).openFile(name, .create)
    #expect(bell.drain() == .folder)
  }

  @Test func `changes to the folders on the path ring, changes beside them do not`()
    throws
  {
    let place = try FreshFolder()
    let top = try LinuxFolder.open(path: place.path)
    let (a, other) = (FileName(literal: "a"), FileName(literal: "other"))
    let folder = try top.openFolder(a, creating: true)
    let bell = try Doorbell()
    try bell.watchWay(to: "\(place.path)/a/inbox")
    _ = try folder.openFile(other, .create)
    _ = try top.openFile(other, .create)
    #expect(bell.drain() == [])
    _ = try folder.openFolder(FileName(literal: "inbox"), creating: true)
    #expect(bell.drain() == .path)
    try top.rename(a, to: top, as: FileName(literal: "b"), replacing: false)
    #expect(bell.drain() == .path)
    try bell.watchWay(to: "\(place.path)/a/inbox")
    #expect(bell.drain() == [])
    _ = try top.openFolder(a, creating: true)
    #expect(bell.drain() == .path)
  }

  @Test func `a link on the path that is removed rings`() throws {
    let place = try FreshFolder()
    let files = FileManager.default
    for name in ["x/inbox", "y/inbox"] {
      try files.createDirectory(
        atPath: "\(place.path)/\(name)", withIntermediateDirectories: true)
    }
    try files.createSymbolicLink(atPath: "\(place.path)/link", withDestinationPath: "x")
    let bell = try Doorbell()
    try bell.watchWay(to: "\(place.path)/link/inbox")
    #expect(bell.drain() == [])
    try files.removeItem(atPath: "\(place.path)/link")
    #expect(bell.drain() == .path)
  }

  @Test(
    arguments: [
      (0x6969, "NFS", true), (0xFF53_4D42, "CIFS", true), (0x6573_5546, "FUSE", true),
      (0x0102_1997, "9p", true), (0x00C3_6400, "Ceph", true), (0x5346_414F, "AFS", true),
      (0xEF53, "ext4", false), (0x0102_1994, "tmpfs", false), (0x794C_7630, "overlayfs", false),
      (0x1234_5678, "0x12345678", false),
    ] as [(UInt32, String, Bool)])
  func `file systems are recognised by their numbers`(magic: UInt32, name: String, isShared: Bool) {
    let kind = FileSystemKind(magic: magic)
    #expect(kind.name == name && kind.isShared == isShared)
  }

  @Test func `a folder lists its entries, and says whether it may be changed`() throws {
    let place = try FreshFolder()
    let folder = try LinuxFolder.open(path: place.path)
    _ = try folder.openFile(FileName(literal: "file"), .create)
    _ = try folder.openFolder(FileName(literal: "folder"), creating: true)
    try FileManager.default.createSymbolicLink(
      atPath: "\(place.path)/link", withDestinationPath: "nowhere")
    for number in 0..<5000 {
      _ = try folder.openFile(FileName(number: UInt64(number)), .create)
    }
    let entries = try folder.entries()
    #expect(Set(entries.map(\.name)) == Set(try folder.names()) && entries.count == 5003)
    let kinds = Dictionary(uniqueKeysWithValues: entries.map { ("\($0.name)", $0.kind) })
    for (name, kind) in [("file", FileStatus.Kind.file), ("folder", .folder), ("link", .link)] {
      #expect(kinds[name] == kind || kinds[name] == .some(nil))
    }
    try folder.checkChanges()
    #expect(!folder.isMountPoint)
    #expect(try LinuxFolder.open(path: "/proc").isMountPoint)
    #expect(try LinuxFolder.open(path: "/").isOtherFileSystem(FileName(literal: "proc")))
    #expect(!folder.isOtherFileSystem(FileName(literal: "folder")))
  }
}
