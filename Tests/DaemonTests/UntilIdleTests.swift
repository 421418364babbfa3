// SPDX-License-Identifier: Apache-2.0
// `--until-idle` ends when nothing is left to do, and its exit code gives the outcome.

import Foundation
import Support
import Testing

@Suite struct UntilIdleTests {
  @Test func `an empty inbox ends at once with 0`() async throws {
    try await DaemonBench.use { bench in
      let end = try await bench.runUntilIdle()
      #expect(end.code == 0, "\(end)")
      #expect(end.errors.contains("Stopping: every list is done."))
    }
  }

  @Test func `a failed photo makes the exit code 3, even beside lists without failures`()
    async throws
  {
    try await DaemonBench.use { bench in
      let url = try bench.serveSamples(1)[0]
      try await bench.drop([("One", url)], as: "good.plist")
      try await bench.drop([("One", url), ("Two", bench.origin.url("/404"))], as: "part.plist")
      #expect(try await bench.runUntilIdle().code == 3)
      // Failures of an earlier run do not count.
      try await bench.drop([("One", url)], as: "later.plist")
      #expect(try await bench.runUntilIdle().code == 0)
    }
  }

  @Test func `a paused list makes the exit code 4, whether paused before or during the run`()
    async throws
  {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(2)
      try await bench.drop([("One", urls[0] + "?gate=g"), ("Two", urls[1])], as: "summer.plist")
      let daemon = try await bench.launch("darkroomd", ["--root", bench.root, "--until-idle"])
      await bench.origin.arrivals(at: "g")
      #expect(try await bench.tool("pause", "summer").code == 0)
      await bench.origin.release("g")
      #expect(try await daemon.end().code == 4)
      #expect(try await bench.runUntilIdle().code == 4)
    }
  }

  @Test func `a cancelled list leaves the exit code 0`() async throws {
    try await DaemonBench.use { bench in
      let url = try bench.serveSamples(1)[0]
      try await bench.drop([("One", url + "?gate=g")], as: "summer.plist")
      let daemon = try await bench.launch("darkroomd", ["--root", bench.root, "--until-idle"])
      await bench.origin.arrivals(at: "g")
      #expect(try await bench.tool("cancel", "summer").code == 0)
      #expect(try await daemon.end().code == 0)
    }
  }

  @Test func `a failed photo outranks a paused list`() async throws {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(2)
      let daemon = try await bench.start()
      try await bench.drop([("One", urls[0] + "?gate=g")], as: "waits.plist")
      await bench.origin.arrivals(at: "g")
      #expect(try await bench.tool("pause", "waits").code == 0)
      try await bench.stop(daemon)
      try await bench.drop([("One", bench.origin.url("/404"))], as: "fails.plist")
      #expect(try await bench.runUntilIdle().code == 3)
    }
  }

  @Test(.enabled(if: DaemonBench.isRoot, "another user is needed, and only root may become one"))
  func `a file that may not be read makes the exit code 4 and is not touched`() async throws {
    try await DaemonBench.use { bench in
      let url = try bench.serveSamples(1)[0]
      try await bench.drop([("One", url)], as: "mine.plist")
      try await bench.drop([("Two", url)], as: "theirs.plist")
      try await bench.give(bench.root, to: DaemonBench.stranger)
      let files = FileManager.default
      let theirs = "\(bench.root)/inbox/theirs.plist"
      try files.setAttributes(
        [.ownerAccountID: 0, .posixPermissions: 0o600], ofItemAtPath: theirs)
      let end = try await bench.runUntilIdle(as: DaemonBench.stranger)
      #expect(end.code == 4, "\(end)")
      #expect(bench.names("prints") == ["mine"])
      #expect(bench.names("inbox").contains("theirs.plist"))
      #expect(bench.names("failed").isEmpty)
    }
  }

  @Test func `the daemon waits for photos that are to be tried again`() async throws {
    try await DaemonBench.use { bench in
      // 500 at first; then a file, but not a picture.
      try await bench.drop([("One", bench.origin.url("/500-then-ok?key=a"))], as: "again.plist")
      let end = try await bench.runUntilIdle()
      #expect(end.code == 3, "\(end)")
      #expect(end.errors.contains("trying again in"))
      #expect(bench.origin.requests().count == 2)
      let kinds = bench.journal.filter { $0.list == 1 }.map(\.kind)
      #expect(kinds.contains("retry") && kinds.last == "finished", "\(kinds)")
    }
  }
}
