// SPDX-License-Identifier: Apache-2.0
// Webhooks from the order to its end, with a clock that the test moves and a network that it scripts.

import Foundation
import Linux
import Record
import Return
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct WebhooksTests {
  private static let url = "https://h.example/done?token=secret"
  private static let busy = Failure(.passing, code: "http.503", reason: "h.example answered 503")

  private static func allow(_ settings: inout Settings) {
    settings.hooks.webhooks = (try? WebhookPrefix(parsing: "https://h.example/")).map { [$0] } ?? []
  }

  private static func order(_ list: UInt64 = 1, to url: String = url) throws -> WebhookOrder {
    var facts = HookOrder(HookOrder.Key(.finished, of: ListID(list), at: list))
    facts[.name] = Array("barn ".utf8) + [0xFF]
    facts.set(.owner, "1000")
    facts.set(.total, "2")
    return WebhookOrder(facts, to: try PhotoURL(parsing: url))
  }

  @Test func `a message has every fact of its order, and of a list of a cluster its key`() throws {
    var facts = HookOrder(HookOrder.Key(.finished, of: ListID(7), at: 1))
    for fact in HookOrder.Fact.allCases { facts.set(fact, "3") }
    let order = WebhookOrder(facts, to: try PhotoURL(parsing: Self.url))
    #expect(
      order.message
        == #"{"event":"finished","list":7,"name":"3","title":"3","owner":3,"total":3,"#
        + #""filtered":3,"failed":3,"prints":"3","results":"3","retry":"3","reason":"3","#
        + #""key":"3"}"#)
    #expect(try !Self.order().message.contains("key"), "the list is of one machine")
  }

  private func add(_ bench: PartBench, _ orders: WebhookOrder...) throws {
    for order in orders { #expect(try bench.desk.webhooks.add(order)) }
  }

  /// Runs the webhooks until the body ends.
  private func sending(
    _ bench: PartBench, _ network: ScriptedPosts, _ body: (Webhooks) async throws -> Void
  ) async throws {
    let webhooks = Webhooks.make(bench.ground, network) { network.cancelAll() }
    let run = Task { await webhooks.run() }
    let result: Result<Void, any Error>
    do { result = .success(try await body(webhooks)) } catch { result = .failure(error) }
    await webhooks.stop()
    await run.value
    try result.get()
  }

  private func left(_ bench: PartBench) throws -> [UInt64] {
    try bench.desk.webhooks.keys().map(\.list.number)
  }

  @Test func `an order that an earlier run left is posted, and removed when it is taken`()
    async throws
  {
    try await PartBench.use(settings: Self.allow) { bench in
      let network = ScriptedPosts()
      try add(bench, try Self.order())
      try await sending(bench, network) { _ in
        let post = try await network.post(1)
        #expect(post.url.text == Self.url)
        #expect(post.timeout == .seconds(30))
        #expect(
          post.message
            == #"{"event":"finished","list":1,"name":"barn \u{FFFD}","owner":1000,"total":2}"#
            .replacing("\\u{FFFD}", with: "\u{FFFD}"))
        #expect(try left(bench) == [1], "not before the answer")
        network.answer(1, nil)
        #expect(try await Patience.sees { try left(bench).isEmpty })
      }
      #expect(bench.told.holds("Sent the webhook https://h.example for list 'barn \u{FFFD}'."))
      #expect(!bench.told.holds("secret"))
    }
  }

  @Test func `a failure is tried again later, told once, and told again when it is given up`()
    async throws
  {
    try await PartBench.use(settings: Self.allow) { bench in
      let network = ScriptedPosts()
      try add(bench, try Self.order())
      try await sending(bench, network) { _ in
        for attempt in 1...Int(WebhookOrder.mostAttempts) {
          _ = try await network.post(attempt)
          network.answer(attempt, Self.busy)
          if attempt == WebhookOrder.mostAttempts { continue }
          #expect(await bench.clock.isAwaited())
          #expect(try bench.desk.webhooks.order(Self.order().key)?.attempts == UInt32(attempt))
          bench.clock.advance(by: .seconds(min(7200, 1 << (attempt - 1))))
        }
        #expect(try await Patience.sees { try left(bench).isEmpty })
      }
      let lines = bench.told.all().filter { $0.contains("webhook") }
      #expect(lines.count == 2, "\(lines)")
      #expect(lines.first?.hasSuffix("h.example answered 503; trying again in 1 s.") == true)
      #expect(lines.last?.hasPrefix("warning: Gave up the webhook") == true)
      #expect(lines.last?.hasSuffix("after 25 attempts: h.example answered 503.") == true)
    }
  }

  @Test func `a stop keeps the order, and the next run tries it at once, before its time for free`()
    async throws
  {
    try await PartBench.use(settings: Self.allow) { bench in
      let network = ScriptedPosts()
      try add(bench, try Self.order())
      try await sending(bench, network) { _ in
        for attempt in 1...2 {
          _ = try await network.post(attempt)
          network.answer(attempt, Self.busy)
          #expect(await bench.clock.isAwaited())
          bench.clock.advance(by: .seconds(attempt))
        }
        _ = try await network.post(3)
      }
      #expect(try bench.desk.webhooks.order(Self.order().key)?.attempts == 2)
      let other = ScriptedPosts()
      try await sending(bench, other) { webhooks in
        _ = try await other.post(1)
        #expect(await !webhooks.areSettled())
        other.answer(1, Self.busy)
        #expect(await bench.clock.isAwaited())
        #expect(await webhooks.areSettled())
        #expect(bench.clock.next == .seconds(4))
      }
      #expect(try bench.desk.webhooks.order(Self.order().key)?.attempts == 3)
      let third = ScriptedPosts()
      try await sending(bench, third) { _ in
        _ = try await third.post(1)
        third.answer(1, Self.busy)
        #expect(await bench.clock.isAwaited())
        #expect(bench.clock.next == .seconds(4))
      }
      #expect(try bench.desk.webhooks.order(Self.order().key)?.attempts == 3)
      #expect(bench.told.all().count { $0.contains("webhook") } == 1)
    }
  }

  @Test func `a URL that is no longer allowed gets nothing, and waits for a reload`() async throws {
    try await PartBench.use(settings: Self.allow) { bench in
      let network = ScriptedPosts()
      let order = try Self.order(1, to: "https://other.example/x")
      try add(bench, order, try Self.order(2))
      try await sending(bench, network) { _ in
        let post = try await network.post(1)
        #expect(post.url.text == Self.url)
        #expect(try await Patience.sees { try bench.desk.webhooks.order(order.key)?.attempts == 1 })
        #expect(network.count == 1)
      }
      #expect(
        bench.told.holds(
          "Could not send the webhook https://other.example for list 'barn \u{FFFD}': Webhooks= "
            + "does not allow its URL now; trying again in 1 s."))
    }
  }

  @Test func `trouble of this machine costs no attempt, is one trouble, and ends`() async throws {
    try await PartBench.use(settings: Self.allow) { bench in
      let network = ScriptedPosts()
      try add(bench, try Self.order())
      let trouble = Failure(.machine, code: "tls.authorities", reason: "no certificates")
      try await sending(bench, network) { webhooks in
        for attempt in 1...3 {
          _ = try await network.post(attempt)
          network.answer(attempt, trouble)
          #expect(await bench.clock.isAwaited())
          #expect(bench.health.health[.webhooks] == trouble)
          #expect(await webhooks.areSettled(), "it does not keep a daemon that ends when idle")
          bench.clock.advance(by: .seconds(60))
        }
        _ = try await network.post(4)
        #expect(try bench.desk.webhooks.order(Self.order().key)?.attempts == 0)
        network.answer(4, nil)
        #expect(try await Patience.sees { try left(bench).isEmpty })
      }
      #expect(bench.health.health[.webhooks] == nil)
      #expect(bench.told.all().count { $0.contains("webhooks wait") } == 1)
      #expect(!bench.told.holds("Could not send"))
    }
  }

  @Test func `an order that is damaged or cannot be read stops no other`() async throws {
    try await PartBench.use(settings: Self.allow) { bench in
      let network = ScriptedPosts()
      try add(bench, try Self.order(3))
      try bench.folders.webhooks.put(try Self.order(1).key.name, "damage")
      // A folder cannot be read as a file.
      let unreadable = try bench.folders.webhooks.folder(Self.order(2).key.name, creating: true)
      defer { withExtendedLifetime(unreadable) {} }
      try await sending(bench, network) { webhooks in
        let post = try await network.post(1)
        #expect(post.message?.contains(#""list":3,"#) == true)
        network.answer(1, nil)
        #expect(try await Patience.sees { try left(bench) == [2] })
        webhooks.added(try Self.order(4))
        #expect(bench.health.health[.webhookOrders] != nil || network.count > 0)
      }
      #expect(try bench.folders.webhooks.listing().contains(".damaged"))
      #expect(bench.told.holds("the order '1-1-finished' is damaged"))
    }
  }

  @Test func `an order that cannot be removed is not sent again`() async throws {
    try await PartBench.use(settings: Self.allow) { bench in
      let network = ScriptedPosts()
      try add(bench, try Self.order())
      let path = "\(bench.ground.places.state)/webhooks"
      try await sending(bench, network) { webhooks in
        _ = try await network.post(1)
        FaultPlan.set(
          .init("unlinkat", on: path, code: 5, isPermanent: true), for: bench.scratch.path)
        defer { FaultPlan.set(nil, for: bench.scratch.path) }
        network.answer(1, nil)
        #expect(await bench.clock.isAwaited())
        #expect(bench.health.health[.webhookOrders]?.kind == .machine)
        FaultPlan.set(nil, for: bench.scratch.path)
        bench.clock.advance(by: .seconds(60))
        #expect(try await Patience.sees { try left(bench).isEmpty || network.count > 1 })
        #expect(network.count == 1)
        #expect(try await Patience.sees { bench.health.health[.webhookOrders] == nil })
      }
    }
  }

  @Test func `the end of a list orders its webhook, once, also if it was cancelled`() async throws {
    try await PartBench.use(settings: Self.allow) { bench in
      let url = try PhotoURL(parsing: Self.url)
      for number in 1...2 as ClosedRange<UInt64> {
        try await bench.add(number, SampleList(count: 1) { $0.terms.notify = url })
      }
      try await bench.develop(PhotoID(list: ListID(1), number: 1), print: "Photo 1.jpg")
      try await bench.recorder.record([.finished(ListID(1))])
      try await bench.recorder.record([.cancelled(ListID(2))])
      for number in 1...2 as ClosedRange<UInt64> {
        #expect(await bench.work.giveBack(ListID(number)) == nil)
      }
      let orders = try bench.desk.webhooks.keys().compactMap { try bench.desk.webhooks.order($0) }
      #expect(orders.map(\.key.event) == [.finished, .cancelled])
      #expect(orders.allSatisfy { $0.url == url && $0.attempts == 0 })
      #expect(
        orders.first?.facts[.results].map { String(decoding: $0, as: UTF8.self) }
          == "\(bench.ground.places.done)/barn.result.plist")
      #expect(bench.webhookCalls.version == 2)
      #expect(try bench.desk.outbox.keys().isEmpty)
    }
  }

  @Test func `a full disk makes the list wait, and a full outbox does not`() async throws {
    try await PartBench.use(settings: Self.allow) { bench in
      let url = try PhotoURL(parsing: Self.url)
      try await bench.add(1, SampleList(count: 1) { $0.terms.notify = url })
      try await bench.develop(PhotoID(list: ListID(1), number: 1), print: "Photo 1.jpg")
      try await bench.recorder.record([.finished(ListID(1))])
      let path = "\(bench.ground.places.state)/webhooks"
      FaultPlan.set(.init("pwrite", on: path, code: 28, isPermanent: true), for: bench.scratch.path)
      defer { FaultPlan.set(nil, for: bench.scratch.path) }
      #expect(await bench.work.giveBack(ListID(1))?.code == "disk.full")
      FaultPlan.set(nil, for: bench.scratch.path)
      for number in 1...UInt64(WebhookOutbox.most) {
        let key = HookOrder.Key(.finished, of: ListID(number), at: 1)
        try bench.folders.webhooks.put(key.name, "")
      }
      #expect(await bench.work.giveBack(ListID(1)) == nil)
      #expect(bench.health.health[.newWebhooks]?.code == "hooks.full")
      #expect(
        bench.told.holds(
          "Left out the webhook https://h.example for list 'barn': 10000 webhooks "
            + "wait already."))
      try bench.folders.webhooks.removeIfThere(
        HookOrder.Key(.finished, of: ListID(1), at: 1).name)
      try await bench.add(2, SampleList(count: 1) { $0.terms.notify = url })
      try await bench.recorder.record([.cancelled(ListID(2))])
      #expect(await bench.work.giveBack(ListID(2)) == nil)
      #expect(bench.health.health[.newWebhooks] == nil)
    }
  }
}

/// A network that keeps each post until the test answers it.
private final class ScriptedPosts: Network {
  typealias End = @Sendable (Result<TransferReply, Failure>) -> Void

  private struct State {
    var posts: [TransferRequest] = []
    var ends: [Int: End] = [:]
    var isStopped = false
  }

  private let board = EventBoard(State())

  var count: Int { board.value.posts.count }

  /// The post of that number, from 1, once it is there.
  func post(_ number: Int) async throws -> TransferRequest {
    #expect(await board.wait { $0.posts.count >= number })
    let posts = board.value.posts
    return try #require(posts.count >= number ? posts[number - 1] : nil)
  }

  func answer(_ number: Int, _ failure: Failure?) {
    let end = board.value.ends[number]
    board.change { $0.ends[number] = nil }
    end?(failure.map { .failure($0) } ?? .success(TransferReply(status: 204, size: 0)))
  }

  func begin(
    _ request: TransferRequest, into sink: any TransferSink, whenOver: @escaping End
  ) -> TransferTicket {
    if board.value.isStopped {
      whenOver(.failure(.cancelled))
    } else {
      board.change { state in
        state.posts.append(request)
        state.ends[state.posts.count] = whenOver
      }
    }
    return TransferTicket(0)
  }

  func cancelAll() {
    let ends = board.value.ends
    board.change { state in
      state.ends = [:]
      state.isStopped = true
    }
    for end in ends.values { end(.failure(.cancelled)) }
  }

  func cancel(_ ticket: TransferTicket) {}
  func change(_ ticket: TransferTicket, to demand: TransferDemand) {}
  func progress() -> [TransferProgress] { [] }
}
