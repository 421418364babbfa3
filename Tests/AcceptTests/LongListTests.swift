// SPDX-License-Identifier: Apache-2.0
// Nothing else waits for a list that takes long to read.

import Linux
import Support
import Synchronization
import Testing
import Vocabulary

@testable import Accept

@Suite(.fewAtOnce) struct LongListTests {
  private static let long = String(repeating: "photo ", count: 300_000) + "end"

  /// An inbox with a worker that is reading a long list.
  private func reading() async throws -> InboxBench {
    let bench = try InboxBench(maximumListSize: 1 << 22)
    User.put(bench.path("long.plist"), Self.long)
    _ = await bench.inbox.look()
    await bench.look(after: .milliseconds(250))
    await bench.rules.wait(for: ["reading a long list"])
    return bench
  }

  @Test func `other lists are accepted and the inbox is swept while a long list is read`()
    async throws
  {
    let bench = try await reading()
    User.put(bench.path("short.plist"), "short end")
    _ = await bench.inbox.look()
    let report = await bench.look(after: .milliseconds(250))
    await bench.rules.wait(for: ["accepted short.plist"])
    #expect(report.waiting.map { "\($0.name)" }.contains("long.plist"))
    #expect(bench.rules.names == ["short.plist"])
    bench.rules.longRead.changed()
    await bench.inbox.settled()
    #expect(bench.rules.names == ["long.plist", "short.plist"])
    #expect(try bench.left().isEmpty)
    await bench.inbox.stop()
  }

  @Test func `a list that is being read has a place of those that may be at work`() async throws {
    let bench = try await reading()
    bench.rules.state.withLock { $0.mostLists = 1 }
    User.put(bench.path("short.plist"), "short end")
    _ = await bench.inbox.look()
    await bench.look(after: .milliseconds(250))
    bench.rules.longRead.changed()
    await bench.inbox.settled()
    #expect(bench.rules.names == ["long.plist"])
    await bench.inbox.stop()
  }

  @Test func `a long file that is rejected to a hanging disk does not delay other lists`()
    async throws
  {
    try TestHomes.settle()
    let gate = DiskGate()
    let bench = try InboxBench(gate: gate)
    gate.close(.write)
    User.put(bench.path("long.plist"), String(repeating: "x", count: 300_000))
    await bench.settle()
    await bench.look(after: .seconds(5))
    #expect(await gate.visited())
    User.put(bench.path("short.plist"), "short end")
    _ = await bench.inbox.look()
    await bench.look(after: .milliseconds(250))
    await bench.rules.wait(for: ["accepted short.plist"])
    gate.open()
    await bench.inbox.settled()
    #expect(bench.rules.state.withLock { $0.rejected.map(\.code) } == ["list.syntax"])
    #expect(try bench.left().isEmpty)
    await bench.inbox.stop()
  }

  @Test func `a stop does not wait for a list being read; the next start reads it`() async throws {
    let bench = try await reading()
    await bench.inbox.stop()
    #expect(bench.rules.names.isEmpty)
    #expect(try bench.left() == ["long.plist"])
    #expect(try bench.lists.listing().isEmpty)
    bench.rules.longRead.changed()
    let next = try bench.another()
    await next.settled()
    await bench.pass(.milliseconds(250), of: next)
    #expect(bench.rules.names == ["long.plist"])
    await next.stop()
  }
}
