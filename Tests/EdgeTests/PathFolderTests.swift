// SPDX-License-Identifier: Apache-2.0
// A folder on a separate disk, by its path: the bare folder below the mount point is not taken for it.

import Foundation
import Linux
import Support
import Synchronization
import Testing
import Vocabulary

@Suite struct PathFolderTests {
  private let scratch: FreshFolder
  private let path: String

  init() throws {
    scratch = try FreshFolder()
    path = "\(scratch.path)/disk"
    // Always a file system of its own.
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/proc")
  }

  @Test func `the mounts are read once for each disk`() throws {
    let folder = try PathFolder(path: path, isApart: true)
    // One call for the folder, and none for the folder that it is in.
    FaultPlan.set(
      .init("open", on: scratch.path, code: 5, first: 11, isPermanent: true), for: path)
    defer { FaultPlan.set(nil, for: path) }
    for _ in 0..<10 { _ = try folder.here() }
  }

  @Test func `a disk that goes away leaves a folder that is not meant, until it comes back`() throws
  {
    let folder = try PathFolder(path: path, isApart: true)
    let identity = try folder.identity()
    let disk = FileName(literal: "disk")
    try scratch.folder.remove(disk)
    try scratch.folder.makeFolder(disk)
    for _ in 1...2 {
      let error = #expect(throws: SystemError.self) { _ = try folder.here() }
      #expect(error?.name == SystemError.unmounted(path).name)
    }
    try scratch.folder.removeFolder(disk)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/proc")
    #expect(try folder.identity() == identity)
    #expect(try folder.identity(of: FileName(literal: "sys")) != identity)
  }

  @Test func `a folder whose parent goes to another disk is not meant, until it comes back`() throws
  {
    let (own, home) = (FileName(literal: "own"), FileName(literal: "home"))
    try scratch.folder.openFolder(own, creating: true).makeFolder(FileName(literal: "sys"))
    try scratch.link("home", to: "\(scratch.path)/own")
    let folder = try PathFolder(path: "\(scratch.path)/home/sys")
    let identity = try folder.identity()
    try scratch.folder.remove(home)
    // It has a folder of that name as well.
    try scratch.link("home", to: "/proc")
    for _ in 1...2 {
      let error = #expect(throws: SystemError.self) { _ = try folder.here() }
      #expect(error?.isUnmounted == true)
    }
    try scratch.folder.remove(home)
    try scratch.link("home", to: "\(scratch.path)/own")
    #expect(try folder.identity() == identity)
    // One that is made again, or lies on a mounted disk, is meant.
    let sys = try scratch.folder.openFolder(own, creating: false)
    try sys.removeFolder(FileName(literal: "sys"))
    try sys.makeFolder(FileName(literal: "sys"))
    #expect(try folder.here().names().isEmpty)
    try sys.removeFolder(FileName(literal: "sys"))
    try scratch.link("own/sys", to: "/proc/sys")
    #expect(try !folder.here().names().isEmpty)
  }

  @Test func `a folder is judged once, until another one stands at its path`() throws {
    let (one, away) = (FileName(literal: "one"), FileName(literal: "away"))
    try scratch.folder.makeFolder(one)
    let calls = Mutex(0)
    let folder = PathFolder(path: "\(scratch.path)/one") { (folder) throws(SystemError) in
      calls.withLock { $0 += 1 }
      if try folder.has(away) { throw .unmarked(folder.path) }
    }
    for _ in 1...3 { _ = try folder.here() }
    #expect(calls.withLock { $0 } == 1)
    try scratch.folder.rename(one, to: scratch.folder, as: away, replacing: false)
    try scratch.folder.openFolder(one, creating: true).makeFolder(away)
    for _ in 1...2 { #expect(throws: SystemError.self) { try folder.makeFolder(one) } }
    #expect(calls.withLock { $0 } == 3)
  }
}
