// SPDX-License-Identifier: Apache-2.0
// Copies in done and failed, their names, and the small text files.

import Linux
import Testing
import Vocabulary

@testable import Accept

@Suite struct ArchiveTests {
  @Test("A list that is over gets one copy in done, whatever step is killed")
  func everyStep() async throws {
    try await onOwnThread {
      var steps = 0
      while true {
        steps += 1
        let bench = try ClaimBench()
        try bench.inbox.put(ClaimBench.name, "a end")
        try bench.settle()
        let list = try #require(bench.reception.recorded.keys.first)
        bench.cut.set(.kill, at: steps)
        let lists = CutFolder(bench.lists, bench.cut)
        try? bench.claim.archive.finish(list, in: lists)
        guard let step = bench.cut.step else { break }
        try bench.restart()
        try bench.claim.archive.finish(list, in: lists)
        #expect(try bench.done.listing() == ["barn.plist"], "\(step)")
        #expect(try bench.done.text("barn.plist") == "a end", "\(step)")
        let folder = try bench.lists.openFolder(ListFolder.name(list), creating: false)
        #expect(try ListFolder.state(of: folder) == .archived, "\(step)")
      }
      #expect(steps > 20)
    }
  }

  @Test("The copy is a file of our own with mode 0640, and stands beside what was there before")
  func collision() async throws {
    try await onOwnThread {
      let bench = try ClaimBench()
      try bench.done.put(ClaimBench.name, "somebody else's")
      try bench.inbox.put(ClaimBench.name, "a end")
      // Held open, its number goes to no other file.
      let dropped = try bench.inbox.openFile(ClaimBench.name, .read)
      try bench.settle()
      try bench.claim.archive.finish(ListID(1), in: bench.lists)
      #expect(try bench.done.listing() == ["barn.plist", "barn~1.plist"])
      #expect(try bench.done.text("barn.plist") == "somebody else's")
      let status = try bench.done.status(of: FileName(literal: "barn~1.plist"))
      #expect(status.mode == 0o640)
      #expect(status.inode != (try dropped.status().inode))
    }
  }

  @Test(
    "A name and its companions fit the limit of 255 bytes, cut between characters",
    arguments: [
      ([UInt8](repeating: 0x61, count: 249), 244), (Array("é".utf8) * 124, 243),
      (Array("e".utf8) + Array("é".utf8) * 124, 244), ([UInt8](repeating: 0xFF, count: 249), 244),
    ])
  func longNames(_ stem: [UInt8], _ longest: Int) throws {
    let name = try #require(FileName(bytes: stem + Array(".plist".utf8)))
    let choices = ArchiveName.choices(name, ListID(1234))
    #expect(choices.count == 9)
    for choice in choices {
      #expect(choice.hasSuffix(".plist") && choice.bytes.count <= 244)
      #expect(try #require(ArchiveName.reason(beside: choice)).bytes.count <= 255)
    }
    let first = try #require(choices.first)
    #expect(stem.contains(0xFF) || String(validating: first.bytes, as: UTF8.self) != nil)
    #expect(first.bytes.count == longest)
  }

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

extension Archive {
  /// Both halves, one after the other.
  func finish(
    _ list: ListID, in lists: any Folder, telling outcome: OutcomeSource? = nil
  ) throws {
    _ = try copy(list, in: lists, telling: outcome)
    try close(list, in: lists)
  }
}

private func * (bytes: [UInt8], count: Int) -> [UInt8] {
  Array([[UInt8]](repeating: bytes, count: count).joined())
}
