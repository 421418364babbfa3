// SPDX-License-Identifier: Apache-2.0
// Files that appear together under a fresh name, through power cuts.

import Files
import Linux
import Support
import Testing
import Vocabulary

@Suite struct FreshFileTests {
  private static let name = FileName(literal: "barn.plist")
  private static let list = ListID(7)
  private static let texts = ["the list", "its results"]

  /// Writes the copy of the list and a second file beside it.
  private static func write(_ folder: any Folder) async throws {
    let temporary = FreshName.temporary(list, ".result")
    let copy = try FreshFile(
      copying: MemoryFile(texts[0]), upTo: 100, as: FreshName.temporary(list), in: folder,
      for: .group)
    let file = try folder.openAnew(temporary)
    let sum = try FileCopy.hashingCopy(MemoryFile(texts[1]), to: file, upTo: 100)
    let beside = try FreshFile(file, temporary, in: folder, sum, for: .group) { name(beside: $0) }
    try await [copy, beside].appear(under: FreshName.choices(name, list), OwnSyncs())
  }

  private static func name(beside name: FileName) -> FileName? {
    FileName(bytes: name.bytes + ".result".utf8)
  }

  @Test func `after a power cut at any call the first file never exists without the others`()
    async throws
  {
    let taken = FileName(literal: "barn.plist.result")
    for seed in 1...10 as ClosedRange<UInt64> {
      var calls = 0
      while true {
        let disk = SimulatedDisk()
        // The second file's name is taken, so both files get another.
        try disk.rootFolder.write(whole: Array("a stranger's".utf8), as: taken)
        disk.cutPower(afterCalls: calls)
        let isDone = (try? await Self.write(disk.rootFolder)) != nil
        disk.cutPower(afterCalls: nil)
        disk.crash(seed: seed)
        let folder = disk.rootFolder
        if try isDone || folder.has(FileName(literal: "barn~7.plist")) {
          #expect(try folder.text("barn~7.plist") == Self.texts[0], "\(calls)")
          #expect(try folder.text("barn~7.plist.result") == Self.texts[1], "\(calls)")
        }
        try FreshName.sweep(folder)
        try await Self.write(folder)
        let all = ["barn.plist.result", "barn~7.plist", "barn~7.plist.result"]
        #expect(try folder.listing() == all, "\(calls)")
        #expect(try folder.text(taken) == "a stranger's", "\(calls)")
        if isDone { break }
        calls += 1
      }
      #expect(calls > 12)
    }
  }

  @Test func `the files do not appear where every name is taken`() async throws {
    let disk = SimulatedDisk()
    for name in FreshName.choices(Self.name, Self.list) { try disk.rootFolder.put(name, "taken") }
    let failure = await #expect(throws: Failure.self) { try await Self.write(disk.rootFolder) }
    #expect(failure?.code == "system.17")
  }

  @Test(
    arguments: [
      ([UInt8](repeating: 0x61, count: 249), 244), (Array("é".utf8) * 124, 243),
      (Array("e".utf8) + Array("é".utf8) * 124, 244), ([UInt8](repeating: 0xFF, count: 249), 244),
    ])
  func `a name and the names beside it fit 255 bytes, cut between characters`(
    stem: [UInt8], longest: Int
  ) throws {
    let name = try #require(FileName(bytes: stem + Array(".plist".utf8)))
    let choices = FreshName.choices(name, ListID(1234))
    #expect(choices.count == 9)
    for choice in choices {
      #expect(choice.hasSuffix(".plist") && choice.bytes.count <= 244)
      #expect(FileName(bytes: choice.bytes + ".reason.txt".utf8) != nil)
    }
    let first = try #require(choices.first)
    #expect(stem.contains(0xFF) || String(validating: first.bytes, as: UTF8.self) != nil)
    #expect(first.bytes.count == longest)
  }

  @Test(
    arguments: [
      ("trip~1.plist", "trip~1~17.plist"), ("trip~1~2.plist", "trip~1~2~17.plist"),
      ("~9.plist", "~9~17.plist"), ("trip~1.retry.plist", "trip~1.retry~17.plist"),
      ("trip~17.plist", "trip~17~17.plist"), ("trip.plist", "trip.plist"),
      ("trip~.plist", "trip~.plist"), ("trip~a1.plist", "trip~a1.plist"), ("~", "~"),
    ])
  func `a dropped name never takes the name with the number of another list`(
    name: String, first: String
  ) {
    let choices = FreshName.choices(FileName(made: name), ListID(17))
    #expect(choices.first == FileName(made: first))
  }
}

private func * (bytes: [UInt8], count: Int) -> [UInt8] {
  Array([[UInt8]](repeating: bytes, count: count).joined())
}
