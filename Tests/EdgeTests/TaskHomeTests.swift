// SPDX-License-Identifier: Apache-2.0
// The threads on which tasks really run: the compiler gives no warning for a change of threads that it leaves
// out.

import Foundation
import Linux
import Support
import Testing
import Vocabulary

@Suite struct TaskHomeTests {
  private static var thread: String {
    let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
    return String((name ?? "?").dropLast())
  }

  private func quickly<Value: Sendable>(
    _ act: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try TestHomes.settle()
    return try await Task(executorPreference: TaskHome.quick.executor, operation: act).value
  }

  @Test func `work on a disk runs on a disk thread, and its caller continues on its own`()
    async throws
  {
    let threads = try await quickly {
      let before = Self.thread
      let work = await onDisk { Self.thread }
      return [before, work, Self.thread]
    }
    #expect(threads == ["test-quick", "test-disk", "test-quick"])
  }

  @Test func `it stays there across its own waits, as do its child tasks`() async throws {
    let threads = try await quickly {
      await onDisk {
        await Task.yield()
        async let child = { () async in Self.thread }()
        return [await child, Self.thread]
      }
    }
    #expect(threads == ["test-disk", "test-disk"])
  }

  @Test func `a value confined to a thread leaves it only for the work on a disk`() async throws {
    try TestHomes.settle()
    let seen = EventBoard([String]())
    try Reactor.start("test-reactor") { reactor in
      let home = OnThread(reactor) { [Int]() }
      let threads = await home.with { _ in
        let before = Self.thread
        let work = await onDisk { Self.thread }
        return [before, work, Self.thread]
      }
      seen.change { $0 = threads }
    }
    #expect(await seen.wait { $0 == ["test-reactor", "test-disk", "test-reactor"] })
  }

  @Test func `its failure and a cancellation pass`() async throws {
    let trouble = SystemError(.exists, call: "open", thing: "x")
    await #expect(throws: trouble) {
      try await quickly { try await onDisk { () throws(SystemError) in throw trouble } }
    }
    let isCancelled = try await quickly {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return await onDisk { Task.isCancelled }
    }
    #expect(isCancelled)
  }

  @Test func `a test that computes leaves the pool of the others`() async throws {
    #expect(try await computing { Self.thread } == "test-compute")
  }

  private final class Beats: Pulse {
    let told = EventBoard([String]())

    func busy() { told.change { $0.append("busy") } }
    func idle() { told.change { $0.append("idle") } }
  }

  @Test func `a pool of one thread shows the watchdog when it works and when it waits`()
    async throws
  {
    let beats = Beats()
    let pool = try OwnExecutor("test-pulse", threads: 1, pulse: beats)
    #expect(await beats.told.wait { $0 == ["idle"] })
    await Task(executorPreference: pool) {}.value
    #expect(await beats.told.wait { $0.contains("busy") && $0.last == "idle" })
  }
}
