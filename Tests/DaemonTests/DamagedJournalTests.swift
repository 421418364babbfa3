// SPDX-License-Identifier: Apache-2.0
// The journal file is damaged between two starts: the damage is reported with its place, and work
// continues.

import Foundation
import Support
import Testing

@Suite struct DamagedJournalTests {
  /// Drops a list, and kills the daemon when eight of its twelve photos are done.
  private func leaveWork(_ bench: DaemonBench) async throws {
    let urls = try bench.serveSamples(12)
    let photos = urls.enumerated().map { number, url in
      ("Photo \(number + 1)", url + (number > 7 ? "?gate=g" : ""))
    }
    let daemon = try await bench.start()
    try await bench.drop(photos, as: "summer.plist")
    try await bench.until("eight are done") {
      bench.journal.filter { $0.kind == "filtered" }.count >= 8
    }
    // Otherwise the file is still in the inbox, and is accepted again.
    try await bench.until("it is known as claimed") {
      bench.text("state/lists/1/state")?.hasPrefix("claimed") == true
    }
    await daemon.cut()
    await bench.origin.release("g")
  }

  private func newest(_ bench: DaemonBench) throws -> String {
    let names = bench.names("state/journal").filter { $0.hasSuffix(".log") }
    guard let name = names.last else { throw ProgramProblem("there is no journal file") }
    return name
  }

  @Test func `one flipped byte costs one record and is reported with file and offset`()
    async throws
  {
    try await DaemonBench.use { bench in
      try await leaveWork(bench)
      let name = try newest(bench)
      var bytes = try #require(bench.bytes("state/journal/\(name)"))
      let text = String(decoding: bytes, as: UTF8.self)
      let line = try #require(
        text.split(separator: "\n").first { $0.contains(" downloaded 1 3 ") })
      let offset = text.utf8.distance(from: text.utf8.startIndex, to: line.startIndex)
      bytes[offset + 30] ^= 1
      try bench.folder.write(bytes, to: "root/state/journal/\(name)")
      let verify = try await bench.tool("journal", "verify")
      #expect(verify.code == 1, "\(verify)")
      #expect(
        verify.output == "damage\t\(name)\t\(offset)\t\(line.utf8.count + 1)\n", "\(verify)")
      #expect(try await bench.tool("journal", "stat").code == 1)
      let prints = bench.names("prints/summer")
      let inodes = try prints.map { try bench.inode("prints/summer/\($0)") }
      let end = try await bench.runUntilIdle()
      #expect(end.code == 0, "\(end)")
      #expect(
        end.errors.contains("1 record lost to damage that starts in \(name) at byte \(offset)")
          || end.errors.contains(
            "1 record lost to damage that starts in journal/\(name) at byte \(offset)"),
        "\(end)")
      #expect(bench.names("prints/summer").count == 12)
      #expect(try prints.map { try bench.inode("prints/summer/\($0)") } == inodes)
      #expect(bench.origin.requests().filter { !$0.contains("gate") }.count == 8)
      #expect(bench.journal.filter { $0.kind == "accepted" }.count <= 1)
      #expect(bench.names("state/journal").contains { $0.hasPrefix("damaged-") })
    }
  }

  @Test func `a torn end is cut off, reported and set aside`() async throws {
    try await DaemonBench.use { bench in
      try await leaveWork(bench)
      let name = try newest(bench)
      let bytes = try #require(bench.bytes("state/journal/\(name)"))
      let torn = Array("12345678 99 1763712345.1".utf8)
      try bench.folder.write(bytes + torn, to: "root/state/journal/\(name)")
      let end = try await bench.runUntilIdle()
      #expect(end.code == 0, "\(end)")
      #expect(
        end.errors.contains("\(torn.count) bytes of an unfinished record set aside"), "\(end)")
      #expect(bench.names("prints/summer").count == 12)
      #expect(bench.origin.requests().filter { !$0.contains("gate") }.count == 8)
    }
  }

  @Test func `a list survives the loss of the record that it was accepted`() async throws {
    try await DaemonBench.use { bench in
      try await leaveWork(bench)
      let name = try newest(bench)
      var bytes = try #require(bench.bytes("state/journal/\(name)"))
      let text = String(decoding: bytes, as: UTF8.self)
      let line = try #require(text.split(separator: "\n").first { $0.contains(" accepted 1 ") })
      let offset = text.utf8.distance(from: text.utf8.startIndex, to: line.startIndex)
      bytes[offset + 40] ^= 1
      try bench.folder.write(bytes, to: "root/state/journal/\(name)")
      let end = try await bench.runUntilIdle()
      #expect(end.code == 0, "\(end)")
      #expect(bench.names("prints") == ["summer"])
      #expect(bench.names("prints/summer").count == 12)
      #expect(bench.copies == ["summer.plist"])
    }
  }
}
