// SPDX-License-Identifier: Apache-2.0
// The file `roll`: what is written is read, and what is damaged is refused.

import Files
import Linux
import Support
import Testing
import Vocabulary

@Suite struct RollFileTests {
  private static let sum = FileCopy.Sum(size: 12, sha256: String(repeating: "a", count: 64))

  private func roll() throws -> RollFile {
    let odd = try #require(FileName(bytes: [0xFF, 0x0A, 0x20, 0x25]))
    let rows = [
      [FileName(literal: "Barn"), odd], [FileName(literal: "Barn"), FileName(literal: "b")],
    ]
    .map { RollRow(path: $0, inode: 7, modified: -5, sum: Self.sum) }
    return RollFile(rows: rows, base: 1)
  }

  @Test func `a roll is read as it was written`() throws {
    let place = try FreshFolder()
    #expect(try RollFile.read(from: place.folder) == nil)
    let roll = try roll()
    try roll.write(in: place.folder)
    #expect(try RollFile.read(from: place.folder) == roll)
  }

  @Test func `a damaged roll is refused`() throws {
    let place = try FreshFolder()
    try roll().write(in: place.folder)
    let whole = try #require(place.bytes(of: "roll"))
    let line = String(decoding: whole, as: UTF8.self).split(separator: "\n")[1]
    let words = line.split(separator: " ").map(String.init)
    var damaged: [[UInt8]] = [[], Array("#darkroom-roll 2 base=1\n".utf8), Array(whole.dropLast())]
    for (place, word) in [
      (0, "x"), (1, "x"), (2, "-1"), (3, "ab"), (4, "Barn"), (4, "Barn/.."), (4, "Barn/%0"),
      (4, "Barn//b"), (4, "Barn/b c"),
    ] {
      var words = words
      words[place] = word
      damaged.append(Array("#darkroom-roll 1 base=1\n\(words.joined(separator: " "))\n".utf8))
    }
    for text in damaged {
      try place.write(text, to: "roll")
      let failure = #expect(throws: Failure.self) { try RollFile.read(from: place.folder) }
      #expect(failure?.code == "state.roll", "\(String(decoding: text, as: UTF8.self))")
    }
  }

  @Test func `a row knows its file by inode, time and size`() throws {
    let row = try #require(try roll().rows.first)
    func status(_ kind: FileStatus.Kind, _ inode: UInt64, _ size: UInt64, _ time: Int64)
      -> FileStatus
    {
      FileStatus(
        kind: kind, device: 1, inode: inode, size: size, owner: 1, mode: 0, modified: time,
        changed: 9)
    }
    #expect(row.resembles(status(.file, 7, 12, -5)))
    for other in [
      status(.link, 7, 12, -5), status(.file, 8, 12, -5), status(.file, 7, 13, -5),
      status(.file, 7, 12, 5),
    ] { #expect(!row.resembles(other)) }
  }
}
