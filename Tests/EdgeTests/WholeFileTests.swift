// SPDX-License-Identifier: Apache-2.0
// Files that are whole or absent, through power cuts and failing calls.

import Files
import Linux
import Support
import Testing
import Vocabulary

@Suite struct WholeFileTests {
  private static let name = FileName(literal: "note")
  private static let old = [UInt8](repeating: 0x6F, count: 3000)
  private static let new = [UInt8](repeating: 0x6E, count: 2000)

  @Test(arguments: [false, true])
  func `after a power cut at any call the file is the old one or the new one`(
    isThere: Bool
  ) throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      var calls = 0
      while true {
        let disk = SimulatedDisk()
        if isThere { try disk.rootFolder.write(whole: Self.old, as: Self.name) }
        disk.cutPower(afterCalls: calls)
        let isWritten =
          (try? disk.rootFolder.write(whole: Self.new, as: Self.name, mode: 0o640)) != nil
        disk.cutPower(afterCalls: nil)
        disk.crash(seed: seed)
        let found = try disk.rootFolder.contents(of: Self.name, upTo: 10_000)
        #expect(found == Self.new || !isWritten && found == (isThere ? Self.old : nil), "\(calls)")
        // A temporary file that was left behind does not disturb the next write.
        try disk.rootFolder.write(whole: Self.new, as: Self.name)
        #expect(try disk.rootFolder.names() == [Self.name])
        if isWritten { break }
        calls += 1
      }
      #expect(calls > 4)
    }
  }

  @Test func `the temporary file has the requested name, and the file the requested mode`() throws {
    let scratch = try FreshFolder()
    let hidden = FileName(literal: ".archive-1")
    try scratch.folder.write(wholly: Self.name, through: hidden, mode: 0o640) {
      file throws(SystemError) in
      #expect((try? scratch.folder.names()) == [hidden])
      try file.write(Self.new, at: 0)
    }
    #expect(try scratch.folder.status(of: Self.name).mode == 0o640)
    #expect(try scratch.folder.names() == [Self.name])
    try scratch.folder.write(whole: [], as: Self.name)
    #expect(try scratch.folder.status(of: Self.name).mode == 0o600)
    let longest = try #require(FileName(String(repeating: "x", count: 255)))
    let error = #expect(throws: SystemError.self) {
      try scratch.folder.write(whole: [], as: longest)
    }
    #expect(error?.words == "file name too long")
  }

  @Test func `a file that cannot be written leaves no temporary file`() throws {
    let scratch = try FreshFolder()
    let full = SystemError(.noSpace, call: "pwrite", thing: "note")
    let error = #expect(throws: SystemError.self) {
      try scratch.folder.write(wholly: Self.name) { _ throws(SystemError) in throw full }
    }
    #expect(error == full)
    #expect(try scratch.folder.names() == [])
    // A folder has the name.
    try scratch.folder.makeFolder(Self.name)
    #expect(throws: SystemError.self) { try scratch.folder.write(whole: Self.new, as: Self.name) }
    #expect(try scratch.folder.names() == [Self.name])
  }

  @Test func `a missing file is nil, and every other error is thrown`() throws {
    let scratch = try FreshFolder()
    let folder = scratch.folder
    #expect(try folder.contents(of: Self.name, upTo: 9) == nil)
    #expect(try folder.status(ifThere: Self.name) == nil)
    #expect(try folder.folder(ifThere: Self.name) == nil)
    try folder.removeFlat(Self.name)
    try scratch.write([1, 2, 3], to: "note")
    #expect(try folder.contents(of: Self.name, upTo: 2) == [1, 2])
    #expect(try folder.status(ifThere: Self.name)?.size == 3)
    #expect(throws: SystemError.self) { try folder.folder(ifThere: Self.name) }
    #expect(throws: SystemError.self) { try folder.removeFlat(Self.name) }
    try scratch.write([], to: "flat/a")
    try folder.removeFlat(FileName(literal: "flat"))
    #expect(try folder.names() == [Self.name])
  }

  @Test func `a copy returns its sum, reveals bytes beyond the limit, and can be stopped`() throws {
    let source = MemoryFile([UInt8](repeating: 7, count: 600_000))
    let target = MemoryFile()
    let sum = try FileCopy.hashingCopy(source, to: target, upTo: 600_000)
    #expect(sum.size == 600_000 && target.bytes == source.bytes)
    #expect(try FileCopy.sum(target, upTo: 600_000) == sum)
    #expect(try FileCopy.sum(source, upTo: 1000).size > 1000)
    let error = #expect(throws: SystemError.self) {
      try FileCopy.copy(source, to: target, upTo: 600_000, unless: { true })
    }
    #expect(error?.isCancelled == true)
  }
}
