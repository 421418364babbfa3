// SPDX-License-Identifier: Apache-2.0
// Orders for webhooks as values: their text, its damage, and their life from the first attempt to the last.

import Return
import Support
import Testing
import Vocabulary

@Suite struct WebhookOrderTests {
  private static let key = HookOrder.Key(.cancelled, of: ListID(17), at: 1_763_712_345_123)
  private static let now: UInt64 = 1_763_712_346_000
  private static let busy = Failure(.passing, code: "http.503", reason: "busy")

  private static func order() throws -> WebhookOrder {
    var facts = HookOrder(key)
    facts[.name] = Array("Barn ".utf8) + [0xFF, 0x0A]
    facts.set(.total, "3")
    return WebhookOrder(facts, to: try PhotoURL(parsing: "https://h.example/a?token=x%20y"))
  }

  /// The order after an attempt that failed, and the wait.
  private func again(
    _ order: WebhookOrder, _ failure: Failure = busy, now: UInt64 = now
  ) throws -> (order: WebhookOrder, wait: Duration) {
    guard case .again(let next, let wait) = order.verdict(on: failure, now: now) else {
      throw Failure(.final, code: "test", reason: "given up")
    }
    return (next, wait)
  }

  @Test func `an order is a short text with its next attempt`() throws {
    let order = try again(try Self.order()).order
    let lines = order.text.split(separator: "\n")
    #expect(
      lines.dropLast() == [
        "#darkroom-webhook 1", "url=https%3A%2F%2Fh.example%2Fa%3Ftoken%3Dx%2520y", "attempts=1",
        "next=1763712347000", "DARKROOM_LIST_NAME=Barn%20%FF%0A", "DARKROOM_TOTAL=3",
      ])
    #expect(try WebhookOrder(Self.key, text: Array(order.text.utf8)) == order)
    #expect(order.key == Self.key)
  }

  @Test func `every byte of damage is found`() throws {
    let text = Array(try Self.order().text.utf8)
    for place in text.indices {
      var damaged = text
      damaged[place] ^= 1
      let failure = #expect(throws: Failure.self) { try WebhookOrder(Self.key, text: damaged) }
      #expect(failure?.code == "hook.order" && failure?.kind == .final, "byte \(place)")
      #expect(throws: Failure.self) { try WebhookOrder(Self.key, text: Array(text[..<place])) }
    }
    // The order of a program, under the name of a webhook.
    #expect(throws: Failure.self) {
      try WebhookOrder(Self.key, text: Array(HookOrder(Self.key).text.utf8))
    }
  }

  @Test func `the longest order fits its file`() throws {
    var facts = HookOrder(Self.key)
    for fact in HookOrder.Fact.allCases {
      facts[fact] = [UInt8](repeating: 0xFF, count: HookOrder.longestValue)
    }
    let path = String(repeating: "%", count: PhotoURL.longest - "http://h/".utf8.count)
    let order = WebhookOrder(facts, to: try PhotoURL(parsing: "http://h/\(path)"))
    #expect(order.text.utf8.count < WebhookOrder.longestText)
    #expect(try WebhookOrder(Self.key, text: Array(order.text.utf8)) == order)
  }

  @Test func `each wait is twice as long, up to two hours, and all attempts take about a day`()
    throws
  {
    var order = try Self.order()
    var waits: [Duration] = []
    while case .again(let next, let wait) = order.verdict(on: Self.busy, now: Self.now) {
      order = next
      waits.append(wait)
    }
    #expect(waits.prefix(4) == [.seconds(1), .seconds(2), .seconds(4), .seconds(8)])
    #expect(waits.suffix(2) == [.seconds(7200), .seconds(7200)])
    #expect(waits.count == 24)
    let hours = waits.reduce(.zero, +) / .seconds(3600)
    #expect(hours > 23 && hours < 25)
    #expect(order.verdict(on: Self.busy, now: Self.now) == .giveUp(attempts: 25))
  }

  @Test(arguments: [(3, 3), (3600, 3600), (3601, 3600), (UInt32.max, 3600)] as [(UInt32, Int64)])
  func `a server may ask for a longer wait, up to an hour`(asked: UInt32, seconds: Int64) throws {
    let failure = Failure(.passing, code: "http.503", reason: "busy", waitSeconds: asked)
    #expect(try again(try Self.order(), failure).wait == .seconds(seconds))
  }

  @Test func `trouble of this machine counts no attempt`() throws {
    let order = try Self.order()
    let trouble = Failure(.machine, code: "transfer.resources", reason: "no memory")
    #expect(order.verdict(on: trouble, now: Self.now) == .again(order, after: .seconds(60)))
  }

  @Test func `after a restart the rest of the wait is left, and no clock makes it longer`() throws {
    var order = try Self.order()
    #expect(order.rest(now: 0) == .zero)
    for _ in 1...7 { order = try again(order).order }
    #expect(order.rest(now: Self.now + 4000) == .seconds(60))
    #expect(order.rest(now: Self.now + 64_000) == .zero)
    #expect(order.rest(now: UInt64.max) == .zero)
    // The clock was set back by years.
    #expect(order.rest(now: 0) == .seconds(3600))
  }
}
