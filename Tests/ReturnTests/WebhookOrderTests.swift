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

  /// An order, and the time of its next attempt.
  private struct Life {
    var order: WebhookOrder
    var now = WebhookOrderTests.now

    /// The wait after an attempt that fails; nil if it was the last.
    mutating func fail(_ failure: Failure = WebhookOrderTests.busy) -> Duration? {
      guard case .again(let next, let wait) = order.verdict(on: failure, now: now) else {
        return nil
      }
      order = next
      now += UInt64(wait.milliseconds)
      return wait
    }
  }

  private func attempts(_ verdict: WebhookOrder.Verdict) -> UInt32? {
    if case .again(let next, _) = verdict { next.attempts } else { nil }
  }

  @Test func `an order is a short text with its next attempt`() throws {
    var life = Life(order: try Self.order())
    #expect(life.fail() == .seconds(1))
    let order = life.order
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
    var life = Life(order: try Self.order())
    var waits: [Duration] = []
    while let wait = life.fail() { waits.append(wait) }
    #expect(waits.prefix(4) == [.seconds(1), .seconds(2), .seconds(4), .seconds(8)])
    #expect(waits.suffix(2) == [.seconds(7200), .seconds(7200)])
    #expect(waits.count == 24)
    let hours = waits.reduce(.zero, +) / .seconds(3600)
    #expect(hours > 23 && hours < 25)
    #expect(life.order.verdict(on: Self.busy, now: life.now) == .giveUp(attempts: 25))
  }

  @Test(arguments: [(3, 3), (3600, 3600), (3601, 3600), (UInt32.max, 3600)] as [(UInt32, Int64)])
  func `a server may ask for a longer wait, up to an hour`(asked: UInt32, seconds: Int64) throws {
    let failure = Failure(.passing, code: "http.503", reason: "busy", waitSeconds: asked)
    var life = Life(order: try Self.order())
    #expect(life.fail(failure) == .seconds(seconds))
  }

  @Test func `an attempt before its time does not count, unless the clock was set back`() throws {
    var life = Life(order: try Self.order())
    for _ in 1...7 { _ = life.fail() }
    let order = life.order
    let early = order.verdict(on: Self.busy, now: life.now - 60_000)
    #expect(early == .again(order, after: .seconds(60)))
    #expect(attempts(order.verdict(on: Self.busy, now: life.now)) == 8)
    #expect(attempts(order.verdict(on: Self.busy, now: UInt64.max)) == 8)
    // The clock was set back by years.
    #expect(attempts(order.verdict(on: Self.busy, now: 0)) == 8)
  }
}
