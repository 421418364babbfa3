// SPDX-License-Identifier: Apache-2.0
// Decides how long a group of records waits for more. A group costs a write, syncs and thread wake-ups,
// whatever its size: under steady load each group rests a moment, so that more callers share it. Whether
// resting pays is only known by trying: after rests that gathered few requests the next rest comes much
// later, so a caller that records step by step hardly ever waits, and the first request after a pause never
// does. A value: times in, rests out.

package struct GroupPace: Sendable {
  /// The distance between the starts of groups while resting pays. No request rests longer.
  package static let interval: Duration = .milliseconds(10)
  /// This many groups may start without a rest: a list of a few photos is done by then.
  package static let ahead = 16
  /// The limit to which `ahead` grows after rests that gathered few requests.
  package static let farAhead = 256
  /// A rest pays when its group has at least this many requests.
  package static let many = 4
  /// After a rest that paid, this many poor rests in a row are needed before rests become rarer.
  package static let trust = 4

  private static let shortest = interval * ahead
  private static let longest = interval * farAhead

  /// When the next group would be due if all groups were one interval apart.
  private var due = Duration.zero
  /// How far `due` may be ahead of the present.
  private var slack = Self.shortest
  private var trust = 1
  /// When the next group may begin; nil for at once.
  private var restEnd: Duration?

  package init() {}

  /// How long the next group still rests; zero when it may begin at once.
  package func rest(at now: Duration) -> Duration {
    restEnd.map { max(.zero, $0 - now) } ?? .zero
  }

  /// Call when a group begins, after its rest or, when hurried, before the rest is over.
  package mutating func begin(_ requests: Int, at now: Duration) {
    if let restEnd, now >= restEnd { learn(requests, now) }
    due = min(max(due, now), now + slack) + Self.interval
    restEnd = due - slack > now ? due - slack : nil
  }

  private mutating func learn(_ requests: Int, _ now: Duration) {
    if requests >= Self.many {
      trust = Self.trust
      slack = Self.shortest
    } else if trust > 1 {
      trust -= 1
    } else {
      slack = min(slack + slack, Self.longest)
      due = now
    }
  }
}
