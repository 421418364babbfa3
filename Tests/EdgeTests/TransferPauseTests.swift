// SPDX-License-Identifier: Apache-2.0
// A sink without room pauses its own transfer and no other. Bytes arrive in order across pauses, and
// size and time limits, a cancel and a stop still apply.

import Linux
import Support
import Testing
import Transfer
import Vocabulary

struct TransferPauseTests {
  private static let body = (0..<300_000).map {
    UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7)
  }
  private static let trouble = Failure(.machine, code: "disk.full", reason: "no room")

  private func bench(_ change: (inout TransferSettings) -> Void = { _ in }) throws -> TransferBench
  {
    let bench = try TransferBench(TransferBench.loopback(change))
    try bench.fresh.write(Self.body, to: "served/large.jpg")
    return bench
  }

  private func request(
    _ url: String, timeout: Duration = .seconds(600)
  ) throws(Failure) -> TransferRequest {
    try TransferRequest(
      url: url, maximumSize: 1 << 20, timeout: timeout, connectTimeout: .seconds(120),
      priority: .default)
  }

  /// libcurl delivers pieces of up to 16 KiB, so a step must have room for one.
  @Test(
    arguments: [
      "/large.jpg", "/large.jpg?unsure=always", "/large.jpg?chunked=7000", "/large.jpg?gzip=1",
    ],
    [16384, 20_000, 100_000])
  func `a body with many pauses is whole and in order`(path: String, step: Int)
    async throws
  {
    let bench = try bench()
    let sink = SlowSink(room: 0)
    let granting = sink.trickle(step)
    let reply = try await bench.loop.fetch(request(bench.origin.url(path)), into: sink)
    granting.cancel()
    await bench.stop()
    // Of an unsure body the origin sends half.
    let expected = path.contains("unsure") ? Array(Self.body.prefix(150_000)) : Self.body
    #expect(reply.size == UInt64(expected.count))
    #expect(sink.bytes == expected)
    #expect(sink.refusalCount >= expected.count / step)
  }

  @Test(arguments: ["/large.jpg?chunked=1", "/large.jpg?chunked=1&gzip=1"])
  func `a body whose bytes come one by one is whole and in order`(path: String) async throws {
    let bench = try bench()
    let sink = SlowSink(room: 1 << 20)
    let reply = try await bench.loop.fetch(request(bench.origin.url(path)), into: sink)
    await bench.stop()
    #expect(reply.size == UInt64(Self.body.count) && reply.isEndSure)
    #expect(sink.bytes == Self.body)
  }

  @Test func `the size limit holds across pauses`() async throws {
    let bench = try bench()
    let sink = SlowSink(room: 0)
    let granting = sink.trickle(100_000)
    let failure = await #expect(throws: Failure.self) {
      try await bench.loop.fetch(request(bench.origin.url("/endless-chunked")), into: sink)
    }
    granting.cancel()
    await bench.stop()
    #expect(failure?.code == "size.limit")
    #expect(sink.bytes.count > 1_000_000 && sink.bytes.count <= 1 << 20)
  }

  /// A few KiB come from the network at once, and many pauses are within them.
  @Test func `a body that unpacks to much is whole and in order after many pauses`() async throws {
    let bench = try bench()
    let body = (UInt8(0)..<250).flatMap { [UInt8](repeating: $0, count: 4096) }
    try bench.fresh.write(body, to: "served/runs.jpg")
    let sink = SlowSink(room: 0)
    let granting = sink.trickle(20_000)
    let reply = try await bench.loop.fetch(
      request(bench.origin.url("/runs.jpg?gzip=1")), into: sink)
    granting.cancel()
    await bench.stop()
    #expect(reply.size == 1_024_000 && reply.isEndSure)
    #expect(sink.bytes == body)
    #expect(sink.refusalCount >= 51)
  }

  @Test func `a paused transfer does not delay others`() async throws {
    let bench = try bench { ($0.connections, $0.connectionsPerHost) = (3, 3) }
    let sink = SlowSink(room: 0)
    async let reply = bench.loop.fetch(request(bench.origin.url("/large.jpg")), into: sink)
    #expect(await sink.refused())
    for _ in 1...5 { #expect(try await bench.fetch(url: bench.origin.url("/barn.jpg")).size == 19) }
    #expect(sink.refusalCount == 1, "the same bytes are not offered again before there is room")
    sink.grant(.max)
    #expect(try await reply.size == 300_000)
    await bench.stop()
    #expect(sink.bytes == Self.body)
  }

  @Test func `the time of a pause does not count against the origin`() async throws {
    let bench = try bench { $0.slowestTime = .seconds(10) }
    let sink = SlowSink(room: 0)
    let url = bench.origin.url("/large.jpg")
    async let reply = bench.loop.fetch(request(url, timeout: .seconds(20)), into: sink)
    #expect(await sink.refused())
    // The pause lasts longer than both limits, since other transfers fail by them meanwhile.
    #expect(await bench.failure(bench.origin.url("/slow?gate=never"))?.code == "time.slow")
    let hung = bench.origin.url("/hang?gate=never")
    #expect(await bench.failure(hung, timeout: .seconds(20)) != nil)
    sink.grant(.max)
    #expect(try await reply.size == 300_000)
    await bench.stop()
  }

  @Test func `the time limits hold again after a pause`() async throws {
    let bench = try bench()
    let sink = SlowSink(room: 0)
    let url = bench.origin.url("/slow?gate=never&size=1000")
    let task = Task {
      try await bench.loop.fetch(request(url, timeout: .seconds(10)), into: sink)
    }
    #expect(await sink.refused())
    #expect(
      await bench.failure(bench.origin.url("/hang?gate=never"), timeout: .seconds(10))?.code
        == "time.out")
    sink.grant(.max)
    let failure = await #expect(throws: Failure.self) { try await task.value }
    #expect(failure?.code == "time.out")
    // The origin holds back the last byte before its gate.
    #expect(sink.bytes.count == 499)
    await bench.stop()
  }

  @Test func `a paused transfer can be cancelled, and a late resume has no effect`() async throws {
    let bench = try bench { $0.connections = 1 }
    let sink = SlowSink(room: 0)
    let task = Task {
      try await bench.loop.fetch(request(bench.origin.url("/large.jpg")), into: sink)
    }
    #expect(await sink.refused())
    task.cancel()
    await #expect(throws: Failure.cancelled) { try await task.value }
    #expect(try bench.connections() == 0)
    sink.grant(.max)
    // Its handle is not reused in the middle of a pause.
    let other = SlowSink(room: .max)
    _ = try await bench.loop.fetch(request(bench.origin.url("/large.jpg")), into: other)
    #expect(other.bytes == Self.body && sink.bytes.isEmpty)
    await bench.stop()
  }

  @Test func `stopping the loop ends a paused transfer`() async throws {
    let bench = try bench()
    let sink = SlowSink(room: 50_000)
    let task = Task {
      try await bench.loop.fetch(request(bench.origin.url("/large.jpg")), into: sink)
    }
    #expect(await sink.refused())
    await bench.loop.stop()
    await #expect(throws: Failure.cancelled) { try await task.value }
    sink.grant(.max)
    await bench.stop()
  }

  @Test func `a sink that fails during a pause ends its transfer with that failure`() async throws {
    let bench = try bench { $0.connections = 1 }
    for room in [0, 100_000] {
      let sink = SlowSink(room: room)
      let task = Task {
        try await bench.loop.fetch(request(bench.origin.url("/large.jpg")), into: sink)
      }
      #expect(await sink.refused())
      sink.fail(Self.trouble)
      await #expect(throws: Self.trouble) { try await task.value }
      #expect(try await bench.fetch(url: bench.origin.url("/barn.jpg")).size == 19)
    }
    // One that is not used is closed after a while.
    #expect(try bench.connections() <= 1)
    await bench.stop()
  }
}
