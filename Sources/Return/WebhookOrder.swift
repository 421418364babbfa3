// SPDX-License-Identifier: Apache-2.0
// The order to tell a URL of the end of a list, until the URL has taken it or it is given up: a value with its
// life, and its text in STATE/webhooks. Attempts count, not days: a day without the daemon costs none, and a clock
// that jumps neither. Raises `hook.order` for a damaged text.

package import Vocabulary

package struct WebhookOrder: OutboxOrder, Equatable {
  /// With the waits between them about a day.
  package static let mostAttempts: UInt32 = 25
  private static let waits = Backoff(.seconds(1), to: .seconds(7200))
  /// The longest wait that a server may ask for.
  private static let longestAsked = Duration.seconds(3600)

  package static var longestText: Int { HookOrder.longestText + 3 * PhotoURL.longest + 1024 }

  /// The event and its facts.
  package let facts: HookOrder
  package let url: PhotoURL
  /// Those that failed.
  package private(set) var attempts: UInt32 = 0
  /// The time of the next attempt, in milliseconds since 1970.
  private var next: UInt64 = 0

  package init(_ facts: HookOrder, to url: PhotoURL) { (self.facts, self.url) = (facts, url) }

  package var key: HookOrder.Key { facts.key }
  package var owner: UInt32 { facts.owner }

  // MARK: life

  package enum Verdict: Equatable, Sendable {
    case again(WebhookOrder, after: Duration)
    case giveUp(attempts: UInt32)
  }

  /// `now` in milliseconds since 1970. An attempt before its time does not count: each start makes one.
  package func verdict(on failure: Failure, now: UInt64) -> Verdict {
    let early = Duration.milliseconds(Int64(clamping: next > now ? next - now : 0))
    // A longer time comes from a clock that was set back.
    if early > .zero, early <= max(wait, Self.longestAsked) { return .again(self, after: early) }
    var order = self
    order.attempts += 1
    guard order.attempts < Self.mostAttempts else { return .giveUp(attempts: order.attempts) }
    let asked = Duration.seconds(failure.waitSeconds.map(Int64.init) ?? 0)
    let wait = max(order.wait, min(asked, Self.longestAsked))
    order.next = now &+ UInt64(wait.milliseconds)
    return .again(order, after: wait)
  }

  /// The wait after the last attempt that counted: twice as long each time.
  private var wait: Duration { Self.waits.after(Int(attempts)) }

  // MARK: text

  private static let form = OrderText(header: "#darkroom-webhook 1")
  private enum Line { static let (url, attempts, next) = ("url", "attempts", "next") }

  package var text: String {
    let own = [
      (Line.url, url.text), (Line.attempts, "\(attempts)"), (Line.next, "\(next)"),
    ]
    return Self.form.text(own.map { ($0, Array($1.utf8)) } + facts.lines)
  }

  package init(_ key: HookOrder.Key, text: [UInt8]) throws(Failure) {
    guard let lines = Self.form.lines(text) else { throw key.damaged }
    func value(_ name: String) -> String? {
      lines.first { $0.name == name }.map { String(decoding: $0.value, as: UTF8.self) }
    }
    guard let url = value(Line.url).flatMap({ try? PhotoURL(parsing: $0) }),
      let attempts = value(Line.attempts).flatMap({ UInt32($0) }),
      let next = value(Line.next).flatMap({ UInt64($0) })
    else { throw key.damaged }
    self.init(HookOrder(key, lines), to: url)
    (self.attempts, self.next) = (attempts, next)
  }
}
