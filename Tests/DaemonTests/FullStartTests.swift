// SPDX-License-Identifier: Apache-2.0
// A start with a state folder on a disk in trouble: full, read-only. The daemon is up, tells why, and works when
// the disk does.

import Foundation
import Support
import Testing

@Suite struct FullStartTests {
  /// The state folder is a file system of its own while the test runs.
  private func withOwnState(_ body: (DaemonBench, _ state: String) async throws -> Void)
    async throws
  {
    try await DaemonBench.use { bench in
      let state = "\(bench.root)/state"
      try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
      let mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "own", state]
      try #require(await HelperProcess.status(of: mount) == 0)
      let result: (any Error)?
      do {
        try await body(bench, state)
        result = nil
      } catch { result = error }
      _ = await HelperProcess.status(of: ["umount", "-l", state])
      if let result { throw result }
    }
  }

  /// Starts with a disk in trouble, which `repair` ends.
  private func survive(
    _ bench: DaemonBench, _ trouble: String, repair: () async throws -> Void
  ) async throws {
    let service = try NotifyListener(at: "\(bench.folder.path)/notify")
    try await bench.drop([("One", try bench.serveSamples(1)[0])], as: "one.plist")
    let daemon = try await bench.launch(
      "darkroomd", ["--root", bench.root], environment: ["NOTIFY_SOCKET": service.path])
    try await daemon.says("nothing is accepted until it clears")
    try await bench.until("the manager hears that it is up") { service.lines.contains("READY=1") }
    #expect(service.status.contains(trouble), "\(service.lines)")
    let status = try await bench.tool("status")
    #expect(status.code == 0 && status.output.contains("state\twaiting: "), "\(status)")
    #expect(status.output.contains("degraded\t") && status.output.contains(trouble), "\(status)")
    let check = try await bench.tool("status", "--check")
    #expect(check.code == 1 && check.output.contains(trouble), "\(check)")
    let list = try await bench.tool("list")
    #expect(list.code == 1 && list.errors.contains("tries again by itself"), "\(list)")
    #expect(bench.names("inbox").contains("one.plist"))
    let second = try await bench.launch("darkroomd", ["--root", bench.root]).end()
    #expect(second.code == 75, "\(second)")
    try await repair()
    #expect(try await bench.reload().code == 0)
    try await daemon.says(" is ready: ")
    #expect(try await bench.wait(for: "one", daemon).code == 0)
    #expect(try await bench.tool("status", "--check").code == 0)
    #expect(try await bench.stop(daemon).code == 0)
  }

  @Test(.enabled(if: DaemonBench.isRoot))
  func `a full state disk holds up no start, and work begins with room`() async throws {
    try await withOwnState { bench, state in
      let filler = "\(state)/filler"
      // As much as there is room for.
      _ = await HelperProcess.status(of: ["dd", "if=/dev/zero", "of=\(filler)", "bs=4k"])
      try await survive(bench, "no space left on device") {
        try FileManager.default.removeItem(atPath: filler)
      }
    }
  }

  @Test(.enabled(if: DaemonBench.isRoot))
  func `a read-only state disk holds up no start, and work begins when it is writable`()
    async throws
  {
    try await withOwnState { bench, state in
      #expect(try await bench.runUntilIdle().code == 0)
      func remount(_ mode: String) async -> Int32? {
        await HelperProcess.status(of: ["mount", "-o", "remount,\(mode)", state])
      }
      try #require(await remount("ro") == 0)
      try await survive(bench, "read-only file system") {
        try #require(await remount("rw") == 0)
      }
    }
  }

  @Test(.enabled(if: DaemonBench.mayMount, MountedInboxTests.noMounts))
  func `a service whose own mount stays read-only ends for a new start`() async throws {
    try await withOwnState { bench, state in
      #expect(try await bench.runUntilIdle().code == 0)
      func mount(_ how: String) async -> Int32? {
        await HelperProcess.status(of: ["mount", "-o", how, state])
      }
      // As a unit's: made while the disk is read-only.
      func launch() async throws -> RunningProgram {
        let daemon = try await bench.launch(
          "darkroomd", ["--root", bench.root],
          through: ["unshare", "-m", "--propagation", "private"])
        try await daemon.says("nothing is accepted until it clears")
        return daemon
      }
      try #require(await mount("remount,ro") == 0)
      let daemon = try await launch()
      try #require(await mount("remount,rw") == 0)
      let end = try await daemon.end()
      #expect(end.code == 74 && end.errors.contains("a new start sees the disk as it is"), "\(end)")
      // Only the mount is read-only, so that a new start would find the same: it waits.
      try #require(await mount("remount,bind,ro") == 0)
      let other = try await launch()
      #expect(try await bench.tool("status").output.contains("read-only file system"))
      try await bench.apart(other, "mount -o remount,bind,rw $inbox/../state")
      try await other.says(" is ready: ")
      try #require(await mount("remount,bind,rw") == 0)
      #expect(try await bench.stop(other).code == 0)
    }
  }

  @Test(.enabled(if: DaemonBench.isRoot))
  func `a stop during the wait is a success, and leaves nothing behind`() async throws {
    try await withOwnState { bench, state in
      _ = await HelperProcess.status(of: ["dd", "if=/dev/zero", "of=\(state)/filler", "bs=4k"])
      let daemon = try await bench.launch("darkroomd", ["--root", bench.root])
      try await daemon.says("nothing is accepted until it clears")
      #expect(try await bench.stop(daemon).code == 0)
      #expect(!bench.names(".").contains("control"))
    }
  }
}
