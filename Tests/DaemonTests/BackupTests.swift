// SPDX-License-Identifier: Apache-2.0
// A state folder that is a copy or a restored backup: the log reports it, and no list number is used
// twice.

import Foundation
import Support
import Testing

@Suite struct BackupTests {
  private func accept(_ name: String, _ bench: DaemonBench) async throws -> Int {
    let daemon = try await bench.start()
    try await bench.drop([("One", bench.origin.url("/404"))], as: "\(name).plist")
    #expect(try await bench.wait(for: name, daemon).code == 1)
    let list = try #require(try await bench.lists().first { $0.name == name })
    try await bench.stop(daemon)
    return list.id
  }

  private func copy(_ from: String, _ to: String, _ bench: DaemonBench) async throws {
    try? FileManager.default.removeItem(atPath: "\(bench.root)/\(to)")
    let status = await HelperProcess.status(
      of: ["cp", "-a", "\(bench.root)/\(from)", "\(bench.root)/\(to)"])
    #expect(status == 0)
  }

  @Test func `a restored backup is reported once, and its numbers are never reused`() async throws {
    try await DaemonBench.use { bench in
      #expect(try await accept("a", bench) == 1)
      try await copy("state", "backup", bench)
      #expect(try await accept("b", bench) == 2)
      #expect(try await accept("c", bench) == 3)
      var numbers: Set = [1, 2, 3]
      for name in ["d", "e"] {
        try await copy("backup", "state", bench)
        let end = try await bench.runUntilIdle()
        #expect(
          end.errors.contains("its record ends with list 1, and list 3 was reported"), "\(end)")
        let number = try await accept(name, bench)
        #expect(number > 3 && numbers.insert(number).inserted, "\(number)")
      }
      let again = try await bench.runUntilIdle()
      #expect(!again.errors.contains("older than"), "\(again)")
    }
  }

  @Test func `a record that is put back in its place is told, and so is a state that is lost`()
    async throws
  {
    try await DaemonBench.use { bench in
      func run(_ names: String...) async throws -> ProgramEnd {
        for name in names {
          try await bench.drop([("One", bench.origin.url("/404"))], as: "\(name).plist")
        }
        return try await bench.runUntilIdle()
      }
      _ = try await run("a", "b")
      try await copy("state", "backup", bench)
      _ = try await run("c", "d")
      for folder in ["lists", "journal"] {
        try await copy("backup/\(folder)", "state/\(folder)", bench)
      }
      let restored = try await run("e")
      #expect(restored.errors.contains("list 4 was reported"), "\(restored)")
      let number = try #require(bench.journal.last { $0.kind == "accepted" }?.list)
      #expect(number > 4)
      try FileManager.default.removeItem(atPath: "\(bench.root)/state")
      let lost = try await run("f")
      #expect(lost.errors.contains("list \(number) was reported"), "\(lost)")
    }
  }

  @Test func `a backup that is restored in place is told, also if done is restored with it`()
    async throws
  {
    try await DaemonBench.use { bench in
      // Files that are the same on both sides stay.
      func sync(_ from: String, _ to: String) async throws {
        let status = await HelperProcess.status(of: [
          "rsync", "-aHAX", "--checksum", "--delete", "--mkpath", "\(bench.root)/\(from)/",
          "\(bench.root)/\(to)/",
        ])
        #expect(status == 0)
      }
      #expect(try await accept("a", bench) == 1)
      for folder in ["state", "done"] { try await sync(folder, "backup/\(folder)") }
      #expect(try await accept("b", bench) == 2)
      for folder in ["state", "done"] { try await sync("backup/\(folder)", folder) }
      let end = try await bench.runUntilIdle()
      #expect(end.errors.contains("The state folder is a copy or a restored backup"), "\(end)")
      #expect(try await accept("c", bench) > 2)
    }
  }

  @Test func `a copied state folder continues with new numbers`() async throws {
    try await DaemonBench.use { bench in
      #expect(try await accept("a", bench) == 1)
      try await copy("state", "copy", bench)
      try await copy("copy", "state", bench)
      let end = try await bench.runUntilIdle()
      #expect(end.errors.contains("The state folder is a copy or a restored backup"), "\(end)")
      #expect(try await accept("b", bench) > 2)
      let again = try await bench.runUntilIdle()
      #expect(!again.errors.contains("is a copy"), "\(again)")
    }
  }
}
