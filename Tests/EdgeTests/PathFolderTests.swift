// SPDX-License-Identifier: Apache-2.0
// A folder on a separate disk, by its path: the bare folder below the mount point is not taken for it.

import Foundation
import Linux
import Support
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
}
