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
      list: ListID(17), name: FileName(literal: "barn.plist"), failure: failure,
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

  @Test("What is known of a list is read back as it was written")
  func about() throws {
    let name = try #require(FileName(bytes: [0xFF, 0x25, 0x0A, 0x41] + Array(".plist".utf8)))
    let status = FileStatus(
      kind: .file, device: 3, inode: .max, size: 5, owner: 1000, mode: 0o644, modified: -7,
      changed: 8)
    let about = AboutFile(
      name: name, status: status, sha256: String(repeating: "a", count: 64), accepted: 12,
      terms: ListTerms(photos: 4, serviceClass: .background, settings: "Filter=none\nTitle=x=y\n"))
    #expect(about.text.hasPrefix("#darkroom-about 1\nname=%FF%25%0AA.plist\nuid=1000\n"))
    #expect(try AboutFile(text: Array(about.text.utf8)) == about)
    for cut in 0..<(about.text.utf8.count - 25) {
      #expect(throws: Failure.self) { try AboutFile(text: Array(about.text.utf8.prefix(cut))) }
    }
  }
}
