// SPDX-License-Identifier: Apache-2.0
// The small text files: the reason of a rejection, and what is known about a list.

import Testing
import Vocabulary

@testable import Accept

@Suite struct NoteTests {
  @Test("The reason says what happened in one sentence, and what to do")
  func reason() {
    let failure = Failure(
      .final, code: "list.syntax", reason: "line 3: \u{1B}[2J is no key",
      advice: "Remove the bytes")
    let note = ReasonNote(
      list: ListID(17), name: FileName(literal: "barn.plist"), owner: 1000, failure: failure,
      time: 1_709_251_199_000)
    #expect(
      note.text == """
        The list 'barn.plist' was not accepted: line 3: \\x1b[2J is no key.
        code=list.syntax
        time=2024-02-29T23:59:59Z
        list=17
        retry=Remove the bytes. Then drop it into the inbox again.

        """)
  }

  @Test("The facts about a list are read back as they were written", arguments: [false, true])
  func about(hasSlip: Bool) throws {
    let name = try #require(FileName(bytes: [0xFF, 0x25, 0x0A, 0x41] + Array(".plist".utf8)))
    let status = FileStatus(
      kind: .file, device: 3, inode: .max, size: 5, owner: 1000, mode: 0o644, modified: -7,
      changed: 8)
    let about = AboutFile(
      name: name, status: status, sha256: String(repeating: "a", count: 64),
      slip: hasSlip
        ? AboutFile.Slip(name: name, size: 7, sha256: String(repeating: "b", count: 64)) : nil,
      accepted: 12,
      terms: ListTerms(photos: 4, serviceClass: .background, settings: "Filter=none\nTitle=x=y\n"))
    let same = FileStatus(
      kind: .file, device: 4, inode: .max, size: hasSlip ? 7 : 5, owner: 1000, mode: 0o644,
      modified: -7, changed: 9)
    #expect(about.resembles(same) && about.resembles(status) == !hasSlip)
    #expect(about.text.hasPrefix("#darkroom-about 1\nname=%FF%25%0AA.plist\nuid=1000\n"))
    #expect(try AboutFile(text: Array(about.text.utf8)) == about)
    let old = about.text.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.hasPrefix("crc=") }.joined(separator: "\n")
    #expect(try old != about.text && AboutFile(text: Array(old.utf8)) == about)
  }

  @Test("No cut and no flipped bit of what is known of a list changes it")
  func damagedAbout() throws {
    let status = FileStatus(
      kind: .file, device: 3, inode: 9, size: 5, owner: 1000, mode: 0o644, modified: 7, changed: 8)
    let about = AboutFile(
      name: FileName(literal: "barn.plist"), status: status,
      sha256: String(repeating: "a", count: 64), accepted: 12,
      terms: ListTerms(
        photos: 4, serviceClass: .background,
        settings: "Prints=barn\nFilter=sepia(0.8)\nTitle=É\u{FFFD}\n"))
    let whole = Array(about.text.utf8)
    var harmless = 0
    for place in whole.indices {
      #expect(throws: Failure.self) { try AboutFile(text: whole.prefix(place)) }
      for bit in 0..<8 as Range<UInt8> {
        var bytes = whole
        bytes[place] ^= 1 << bit
        guard let read = try? AboutFile(text: bytes) else { continue }
        // Without the word `crc` the line counts as unknown, and all others are as they were.
        harmless += 1
        #expect(read == about, "bit \(bit) at \(place)")
      }
    }
    #expect(harmless <= 32)
  }
}
