// SPDX-License-Identifier: Apache-2.0
// Notices that this process did not run for a time: it was stopped or frozen, or its machine was. The watch uses
// libcurl's clock, which stands still while the machine is suspended. The work of the loop is never a lapse, however
// long it takes. A value.

struct LapseWatch {
  typealias Instant = SuspendingClock.Instant

  enum News: Equatable {
    /// `sum` includes earlier ones that are not over.
    case lapse(Duration, sum: Duration)
    /// The last lapse is as long ago as its limit.
    case over
  }

  /// The longest wait of the loop while it has transfers.
  static let wait = Duration.seconds(1)
  /// A longer time between two turns is a lapse.
  private static let least = Duration.milliseconds(1500)

  private var last: (turn: Instant, worked: Duration)?
  private var end: Instant?
  private var sum = Duration.zero

  /// The loop did not wait for transfers until now.
  /// - Parameter worked: the processor time of the loop's thread.
  mutating func begin(now: Instant, worked: Duration) {
    (last, end, sum) = ((now, worked), nil, .zero)
  }

  mutating func turn(now: Instant, worked: Duration, for limit: Duration) -> News? {
    defer { last = (now, worked) }
    if let last, case let lapse = last.turn.duration(to: now) - (worked - last.worked),
      lapse > Self.least
    {
      end = now + limit + Self.wait
      sum += lapse
      return .lapse(lapse, sum: sum)
    }
    guard let end, end <= now else { return nil }
    (self.end, sum) = (nil, .zero)
    return .over
  }
}
