// SPDX-License-Identifier: Apache-2.0
// The records for journald, byte by byte, from libsystemd to a real socket in journald's place.

import Linux
import Support
import Systemd
import Testing
import Vocabulary

@Suite(.enabled("needs the right to mount") { DaemonBench.mayMount })
struct JournalSocketTests {
  private let journal: OwnJournal

  init() throws { journal = try OwnJournal() }

  private static func entry(_ message: String) -> JournalEntry {
    var entry = JournalEntry()
    entry.add("MESSAGE", message)
    entry.add("SYSLOG_IDENTIFIER", "darkroomd")
    return entry
  }

  @Test func `a record arrives as one datagram of NAME=value lines`() async throws {
    let listener = try journal.listen()
    try await journal.run {
      var entry = Self.entry("Accepted list 'été'.")
      entry.add("PHOTO_PRINT", "")
      try JournalSocket.send(entry)
    }
    let arrival = try #require(try listener.receive())
    #expect(
      arrival.text
        == "MESSAGE=Accepted list 'été'.\nSYSLOG_IDENTIFIER=darkroomd\nPHOTO_PRINT=\n")
    #expect(!arrival.cameAsFile)
  }

  @Test func `a value with a newline cannot forge a field`() async throws {
    let listener = try journal.listen()
    try await journal.run { try JournalSocket.send(Self.entry("a\nPRIORITY=0")) }
    let arrival = try #require(try listener.receive())
    #expect(
      arrival.bytes
        == Array("MESSAGE\n".utf8) + [12, 0, 0, 0, 0, 0, 0, 0]
        + Array("a\nPRIORITY=0\nSYSLOG_IDENTIFIER=darkroomd\n".utf8))
  }

  @Test func `a record too big for a datagram goes as a sealed file and arrives whole`()
    async throws
  {
    let listener = try journal.listen()
    let words = String(repeating: "photo ", count: 2_000_000)
    try await journal.run { try JournalSocket.send(Self.entry(words)) }
    let arrival = try #require(try listener.receive())
    #expect(arrival.cameAsFile)
    #expect(arrival.text == "MESSAGE=\(words)\nSYSLOG_IDENTIFIER=darkroomd\n")
  }

  @Test func `a record without a journald, or with one that has ended, is known to be lost`()
    async throws
  {
    try await journal.run { [journal] in
      let lost = #expect(throws: SystemError.self) { try JournalSocket.send(Self.entry("1")) }
      #expect(lost?.name == .missing)
      _ = try journal.listen()
      let refused = #expect(throws: SystemError.self) { try JournalSocket.send(Self.entry("2")) }
      #expect(refused?.name == .connectionRefused)
      // journald comes back with a new socket.
      try journal.unlink()
      let listener = try journal.listen()
      try JournalSocket.send(Self.entry("3"))
      #expect(try listener.receive()?.text == "MESSAGE=3\nSYSLOG_IDENTIFIER=darkroomd\n")
    }
  }
}

@Suite struct JournalStreamTests {
  @Test(
    "standard error is journald's only when device and inode are those of the stream",
    arguments: [
      ("8:42", true), ("8:43", false), ("9:42", false), ("8", false), ("", false), (":", false),
      ("8:42:1", false), ("x:y", false), (nil, false),
    ] as [(String?, Bool)])
  func journalStream(variable: String?, isStream: Bool) {
    let status = FileStatus(
      kind: .other, device: 8, inode: 42, size: 0, owner: 0, mode: 0, modified: 0, changed: 0)
    #expect(JournalStream.matches(variable, status) == isStream)
  }

  @Test func `a JOURNAL_STREAM inherited from another program is not believed`() {
    #expect(!JournalStream.isStandardError(["JOURNAL_STREAM": "1:1"]))
    #expect(!JournalStream.isStandardError([:]))
  }
}
