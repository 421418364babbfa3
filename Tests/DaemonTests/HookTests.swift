// SPDX-License-Identifier: Apache-2.0
// Hooks: an administrator's programs run at the ends of lists, and cost a warning at most.

import Foundation
import Support
import Testing

@Suite struct HookTests {
  /// Adds its environment to the file `out`, a line a variable, and a line `--`.
  private static func note(_ bench: DaemonBench) -> String {
    "{ tr '\\0' '\\n' </proc/$$/environ; echo --; } >>\(bench.root)/out"
  }

  private func program(_ bench: DaemonBench, _ name: String, _ text: String) throws -> String {
    let path = "\(bench.root)/\(name)"
    try bench.folder.write(Array("#!/bin/sh\n\(text)\n".utf8), to: "root/\(name)")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    return path
  }

  private func set(_ bench: DaemonBench, _ hooks: String) throws {
    try bench.settings("\(DaemonBench.settings)[Hooks]\n\(hooks)")
  }

  private func noted(_ bench: DaemonBench) -> [[String]] {
    (bench.text("out") ?? "").components(separatedBy: "--\n").dropLast()
      .map { $0.split(separator: "\n").map(String.init) }
  }

  private func orders(_ bench: DaemonBench) -> [String] {
    bench.names("state/hooks").filter { !$0.hasPrefix(".") }
  }

  @Test func `programs get the facts of finished lists, failed photos and rejected files`()
    async throws
  {
    try await DaemonBench.use { bench in
      let note = try program(bench, "note", Self.note(bench))
      try set(bench, "OnFinished=\(note)\nOnFailed=\(note)\n")
      let daemon = try await bench.start()
      let photos = try bench.serveSamples(2)
      let missing = bench.origin.url("/missing/3.jpg")
      try await bench.drop(
        zip(["One", "Two", "Three"], photos + [missing]).map { ($0, $1) }, as: "barn door.plist")
      try await bench.wait(for: "barn door", daemon)
      try await bench.until("two programs have run") { noted(bench).count == 2 }
      try await bench.drop(Array("no list".utf8), as: "bad.plist")
      try await bench.until("three programs have run") { noted(bench).count == 3 }
      let user = getuid()
      let facts = [
        "DARKROOM_LIST_ID=1", "DARKROOM_LIST_NAME=barn door", "DARKROOM_OWNER=\(user)",
        "DARKROOM_TOTAL=3", "DARKROOM_FILTERED=2", "DARKROOM_FAILED=1",
        "DARKROOM_PRINTS=\(bench.root)/prints/barn door",
        "DARKROOM_RESULTS=\(bench.root)/done/barn door.result.plist",
        "DARKROOM_RETRY=\(bench.root)/failed/barn door.retry.plist",
      ]
      let path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
      let found = noted(bench)
      #expect(found[0] == [path, "DARKROOM_EVENT=finished"] + facts)
      #expect(found[1] == [path, "DARKROOM_EVENT=failed"] + facts)
      #expect(
        found[2].prefix(5) == [
          path, "DARKROOM_EVENT=rejected", "DARKROOM_LIST_ID=2", "DARKROOM_LIST_NAME=bad.plist",
          "DARKROOM_OWNER=\(user)",
        ])
      #expect(found[2].last?.hasPrefix("DARKROOM_REASON=") == true && found[2].count == 6)
      try await bench.until("no order is left") { orders(bench).isEmpty }
      #expect(!daemon.errors.contains("The hook"))
    }
  }

  @Test func `a hook that fails and one that hangs cost a warning each, and no list waits`()
    async throws
  {
    try await DaemonBench.use { bench in
      let bad = try program(bench, "bad", "echo sending; echo 'no route' >&2; exit 3")
      let slow = try program(bench, "slow", "tail -f /dev/null & tail -f /dev/null")
      try set(bench, "OnFinished=\(bad)\n")
      let daemon = try await bench.start()
      let photos = [("One", bench.origin.url("/missing/1.jpg"))]
      try await bench.drop(photos, as: "barn.plist")
      try await bench.wait(for: "barn", daemon)
      try await daemon.says(
        "The hook \(bad) for list 'barn' failed: it exited with code 3, and its last line is "
          + "'no route'; it is not run again.")
      try set(bench, "OnFailed=\(slow)\nTimeout=1s\n")
      #expect(try await bench.tool("reload").code == 0)
      try await bench.drop(photos, as: "barn.plist")
      try await daemon.says(
        "The hook \(slow) for list 'barn' failed: it did not end within 1 s; it is not run again.")
      try await bench.until("no order is left") { orders(bench).isEmpty }
      #expect(daemon.errors.components(separatedBy: "The hook").count == 3)
      #expect(bench.copies == ["barn.plist", "barn~2.plist"])
      #expect(try await bench.stop(daemon).code == 0)
    }
  }

  @Test func `a stop does not wait for a hook, which the next start runs`() async throws {
    try await DaemonBench.use { bench in
      // A writer to the pipe waits until the program reads.
      let slow = try program(
        bench, "slow", "read line <\(bench.root)/pipe && \(Self.note(bench)) || true")
      try #require(await HelperProcess.status(of: ["mkfifo", "\(bench.root)/pipe"]) == 0)
      try set(bench, "OnFinished=\(slow)\n")
      let daemon = try await bench.start()
      let photo = try bench.serveSamples(1)[0]
      try await bench.drop([("One", photo)], as: "barn.plist")
      try await bench.wait(for: "barn", daemon)
      // Opens the pipe and writes nothing: the program reads, and hangs.
      let begun = "exec 3>\(bench.root)/pipe; echo begun; exec tail -f /dev/null"
      let writer = try await bench.run(["/bin/sh", "-c", begun])
      try await bench.until("the program waits") { writer.output.contains("begun") }
      let end = try await bench.stop(daemon)
      #expect(end.code == 0 && !end.errors.contains("The hook"), "\(end)")
      #expect(noted(bench).isEmpty && orders(bench).count == 1)
      await writer.cut()
      let again = try await bench.start()
      _ = try await bench.run(["/bin/sh", "-c", "echo go >\(bench.root)/pipe"]).end()
      try await bench.until("the program has run") { noted(bench).count == 1 }
      #expect(noted(bench)[0].contains("DARKROOM_LIST_NAME=barn"))
      try await bench.until("no order is left") { orders(bench).isEmpty }
      #expect(!again.errors.contains("The hook"))
    }
  }

  @Test func `a reload sets hooks, and a bad path is refused with its line`() async throws {
    try await DaemonBench.use { bench in
      let note = try program(bench, "note", Self.note(bench))
      let daemon = try await bench.start()
      let photo = try bench.serveSamples(1)[0]
      try await bench.drop([("One", photo)], as: "one.plist")
      try await bench.wait(for: "one", daemon)
      try set(bench, "OnFinished=\(note) --loud\n")
      let refused = try await bench.reload()
      #expect(refused.code == 78)
      #expect(
        refused.errors.contains(
          ":10: a program is written as a full path without '..', spaces and arguments, not "
            + "'\(note) --loud'"))
      try set(bench, "OnFinished=\(note)\n")
      #expect(try await bench.reload().code == 0)
      try await bench.drop([("One", photo)], as: "two.plist")
      try await bench.wait(for: "two", daemon)
      try await bench.until("the program has run") { noted(bench).count == 1 }
      #expect(noted(bench)[0].contains("DARKROOM_LIST_NAME=two"))
    }
  }

  @Test func `--until-idle waits for the hooks`() async throws {
    try await DaemonBench.use { bench in
      let note = try program(bench, "note", Self.note(bench))
      try set(bench, "OnFinished=\(note)\n")
      try await bench.drop([("One", try bench.serveSamples(1)[0])], as: "barn.plist")
      #expect(try await bench.runUntilIdle().code == 0)
      #expect(noted(bench).count == 1 && orders(bench).isEmpty)
    }
  }

  @Test func `--leave-hooks leaves the orders to one --run-hooks at a time`() async throws {
    try await DaemonBench.use { bench in
      let slow = try program(bench, "slow", "read line <\(bench.root)/pipe; \(Self.note(bench))")
      try #require(await HelperProcess.status(of: ["mkfifo", "\(bench.root)/pipe"]) == 0)
      try set(bench, "OnFinished=\(slow)\n")
      try await bench.drop([("One", try bench.serveSamples(1)[0])], as: "barn.plist")
      #expect(try await bench.runUntilIdle(["--leave-hooks"]).code == 0)
      #expect(orders(bench).count == 1)
      let hooks = try await bench.launch("darkroomd", ["--run-hooks", "--root", bench.root])
      // The pipe has a reader once the program runs: the first process has the seat.
      let begun = "exec 3>\(bench.root)/pipe; echo begun; exec tail -f /dev/null"
      let writer = try await bench.run(["/bin/sh", "-c", begun])
      try await bench.until("the program waits") { writer.output.contains("begun") }
      // An exit would only start it again.
      let other = try await bench.launch("darkroomd", ["--run-hooks", "--root", bench.root])
      #expect(noted(bench).isEmpty)
      await writer.cut()
      #expect(try await hooks.end().code == 0)
      #expect(try await other.end().code == 0)
      #expect(noted(bench).count == 1 && orders(bench).isEmpty)
    }
  }

  @Test func `bad settings make the hooks wait until they are mended`() async throws {
    try await DaemonBench.use { bench in
      let note = try program(bench, "note", Self.note(bench))
      try set(bench, "OnFinished=\(note)\n")
      try await bench.drop([("One", try bench.serveSamples(1)[0])], as: "barn.plist")
      #expect(try await bench.runUntilIdle(["--leave-hooks"]).code == 0)
      try set(bench, "OnFinisched=\(note)\n")
      let hooks = try await bench.launch("darkroomd", ["--run-hooks", "--root", bench.root])
      try await hooks.says("could not read the settings")
      try set(bench, "OnFinished=\(note)\n")
      #expect(try await hooks.end().code == 0)
      #expect(noted(bench).count == 1 && orders(bench).isEmpty)
    }
  }
}
