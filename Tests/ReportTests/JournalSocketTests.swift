// SPDX-License-Identifier: Apache-2.0
// The records for journald, byte by byte, on a real socket.

import Journald
import Linux
import Support
import Testing
import Vocabulary

@Suite struct JournalSocketTests {
  @Test func `a record arrives as one datagram of KEY=value lines`() throws {
    let folder = try FreshFolder.forSockets()
    let listener = try DatagramSocket(at: "\(folder.path)/journal")
    var entry = JournalEntry()
    entry.add("MESSAGE", "Accepted list 'été'.")
    entry.add("PRIORITY", "5")
    entry.add("PHOTO_PRINT", "")
    #expect(try JournalSocket(path: "\(folder.path)/journal").send(entry) == .sent)
    let arrival = try #require(try listener.next())
    #expect(arrival.text == "MESSAGE=Accepted list 'été'.\nPRIORITY=5\nPHOTO_PRINT=\n")
    #expect(!arrival.cameAsFile)
  }

  @Test func `a value with a newline is sent with its length, so that it cannot forge a field`() {
    var entry = JournalEntry()
    entry.add("REASON", "a\nPRIORITY=0")
    #expect(
      entry.bytes == Array("REASON\n".utf8) + [12, 0, 0, 0, 0, 0, 0, 0]
        + Array("a\nPRIORITY=0\n".utf8))
  }

  @Test(
    "a field that journald would drop silently is left out, and the record survives",
    arguments: [
      ("LIST_ID", true), ("A", true), ("A9_", true), (String(repeating: "A", count: 64), true),
      ("", false), ("list_id", false), ("9LIVES", false), ("_PID", false), ("LIST-ID", false),
      ("LIST=ID", false), ("LISTE_É", false), (String(repeating: "A", count: 65), false),
    ])
  func fieldNames(name: String, isGood: Bool) {
    #expect(JournalEntry.isName(name) == isGood)
    var entry = JournalEntry()
    entry.add(name, "x")
    entry.add("MESSAGE", "y")
    #expect(entry.bytes == Array((isGood ? "\(name)=x\n" : "").utf8) + Array("MESSAGE=y\n".utf8))
  }

  @Test func `a record too big for a datagram goes as a sealed file and arrives whole`() throws {
    let folder = try FreshFolder.forSockets()
    let listener = try DatagramSocket(at: "\(folder.path)/journal")
    let socket = try JournalSocket(path: "\(folder.path)/journal")
    var entry = JournalEntry()
    entry.add("MESSAGE", String(repeating: "photo ", count: 2_000_000))
    #expect(try socket.send(entry) == .sent)
    let arrival = try #require(try listener.next())
    #expect(arrival.cameAsFile)
    #expect(arrival.bytes == entry.bytes)
  }

  @Test func `if journald does not read, sending fails at once instead of waiting`() throws {
    let folder = try FreshFolder.forSockets()
    let listener = try DatagramSocket(at: "\(folder.path)/journal")
    let socket = try JournalSocket(path: "\(folder.path)/journal")
    var entry = JournalEntry()
    entry.add("MESSAGE", "x")
    var sent = 0
    while try socket.send(entry) == .sent { sent += 1 }
    #expect(sent > 0)
    // Once the records are read there is room again, and a wait for it ends.
    for _ in 0..<sent { _ = try #require(try listener.next()) }
    try socket.waitForRoom(Patience.time)
    #expect(try socket.send(entry) == .sent)
  }

  @Test func `a journald that comes back with a new socket gets records again`() throws {
    let folder = try FreshFolder.forSockets()
    var listener: DatagramSocket? = try DatagramSocket(at: "\(folder.path)/journal")
    let socket = try JournalSocket(path: "\(folder.path)/journal")
    var entry = JournalEntry()
    entry.add("MESSAGE", "x")
    #expect(try socket.send(entry) == .sent)
    listener = nil
    #expect(listener == nil)
    #expect(throws: SystemError.self) { try socket.send(entry) }
    try folder.folder.remove(FileName(literal: "journal"))
    let other = try DatagramSocket(at: "\(folder.path)/journal")
    #expect(try socket.send(entry) == .sent)
    #expect(try other.next()?.text == "MESSAGE=x\n")
  }

  @Test func `without a journald there is no socket`() throws {
    let folder = try FreshFolder.forSockets()
    #expect(throws: SystemError.self) { try JournalSocket(path: "\(folder.path)/nothing") }
  }

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
