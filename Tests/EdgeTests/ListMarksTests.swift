// SPDX-License-Identifier: Apache-2.0
// The marks of a list over power cuts, on a disk that keeps only what was synced.

import Files
import Support
import Testing
import Vocabulary

@Suite struct ListMarksTests {
  private static let list = FileName(number: 7)

  private func folder(_ disk: SimulatedDisk) throws -> any Folder {
    try disk.rootFolder.folder(Self.list, creating: false)
  }

  private func drop(_ disk: SimulatedDisk) throws -> ListMarks.Drop? {
    try ListMarks(of: folder(disk)).drop
  }

  @Test(arguments: 0..<16 as Range<UInt64>)
  func `the mark of a prepared list takes one sync, of the file`(seed: UInt64) throws {
    let disk = SimulatedDisk()
    _ = try disk.rootFolder.folder(Self.list, creating: true)
    try ListMarks.prepare(in: folder(disk))
    try disk.rootFolder.syncFileSystem()
    #expect(try drop(disk) == nil)
    let before = disk.count(.syncFolder)
    try ListMarks.write(.accepted, in: folder(disk)).run()
    #expect(disk.count(.syncFolder) == before)
    disk.crash(seed: seed)
    #expect(try drop(disk) == .accepted)
  }
}
