// SPDX-License-Identifier: Apache-2.0
// Whose prints a folder holds, as its mark tells, and what a removal leaves.

import Files
import Linux
import Return
import Support
import Testing
import Vocabulary

@Suite struct PrintsMarkTests {
  private let line = "0123456789abcdef"
  private let other = "fedcba9876543210"
  private let barn = FileName(literal: "barn")

  private func mark(_ line: String, _ list: UInt64) throws -> PrintsMark {
    try #require(PrintsMark(line: line, list: ListID(list)))
  }

  @Test func `a folder is of the newest list of its line`() throws {
    let prints = SimulatedDisk().rootFolder
    let first = try mark(line, 1)
    #expect(try first.claim(on: prints) == .open)
    _ = try first.put(on: prints, for: .group)
    #expect(try first.claim(on: prints) == .own)
    #expect(try mark(other, 1).claim(on: prints) == .stranger)
    #expect(try mark(other, 9).claim(on: prints) == .stranger)
    let second = try mark(line, 7)
    #expect(try second.claim(on: prints) == .open)
    _ = try second.put(on: prints, for: .group)
    #expect(try second.claim(on: prints) == .own && first.claim(on: prints) == .later)
    #expect(try first.put(on: prints, for: .group) == nil)
    #expect(try mark(other, 9).put(on: prints, for: .group, again: true) == nil)
    #expect(try prints.contents(of: PrintsMark.file, upTo: 64) == Array("\(line) 7\n".utf8))
  }

  @Test(arguments: ["", "x", "0123456789abcdef 7", "0123456789abcdef\n", "0123456789abcdef a\n"])
  func `an empty mark is none, and a damaged one is of another list`(text: String) throws {
    let prints = SimulatedDisk().rootFolder
    try prints.put(PrintsMark.file, text)
    #expect(try mark(line, 1).claim(on: prints) == (text.isEmpty ? .open : .stranger))
  }

  @Test(arguments: ["", "0123456789abcde", "0123456789abcdeg", "0123456789 bcdef"])
  func `a line has sixteen digits`(text: String) {
    #expect(PrintsMark(line: text, list: ListID(1)) == nil)
  }

  @Test(arguments: [5, 13, 24, 12] as [Int32])
  func `a mark that cannot be read is the trouble of one folder, and want is the machine's`(
    code: Int32
  ) throws {
    let disk = SimulatedDisk()
    let root = disk.rootFolder
    let mark = try mark(line, 7)
    _ = try mark.put(on: root.folder(barn, creating: true), for: .group)
    disk.fail(.init(.open, code: code, isPermanent: true))
    let expiry = PrintsExpiry(lists: root, prints: root)
    if code == 5 || code == 13 {
      #expect(try PrintsStanding(of: barn, in: root, for: mark) == .unreadable)
      #expect(try !expiry.hide(barn, of: ListID(7), mark))
    } else {
      #expect(throws: SystemError.self) { _ = try PrintsStanding(of: barn, in: root, for: mark) }
      #expect(throws: SystemError.self) { _ = try expiry.hide(barn, of: ListID(7), mark) }
    }
    disk.fail(nil)
    #expect(try PrintsStanding(of: barn, in: root, for: mark) == .folder)
  }

  @Test func `a folder with the prints of another list is neither hidden nor set aside`() throws {
    let root = SimulatedDisk().rootFolder
    let folder = try root.folder(barn, creating: true)
    _ = try mark(line, 7).put(on: folder, for: .group)
    let removal = ListRemoval(lists: root, prints: root, done: root, failed: root)
    let expiry = PrintsExpiry(lists: root, prints: root)
    for (line, list) in [(other, 9), (line, 1)] as [(String, UInt64)] {
      let strange = try mark(line, list)
      #expect(try removal.standing(ofPrints: barn, strange) == .foreign)
      try removal.hidePrints(barn, of: ListID(list), strange)
      #expect(try !expiry.hide(barn, of: ListID(list), strange))
      #expect(try root.has(barn))
    }
    #expect(try removal.standing(ofPrints: barn, mark(line, 8)) == .folder)
    try removal.hidePrints(barn, of: ListID(7), mark(line, 7))
    #expect(try !root.has(barn) && root.has(ListFolder.removed(ListID(7))))
  }
}
