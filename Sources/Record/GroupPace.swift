// SPDX-License-Identifier: Apache-2.0
// How closely groups of records follow each other. A group costs a write, syncs and some waking of
// threads, whatever is in it: where many callers come all the time, each rests a moment, and more of
// them share a group. Only a rest can tell whether more come in it: where few did, the next one is long
// in coming, so that a caller who records step by step hardly ever rests. Who comes after a pause never
// does. A plain value: times in, rests out.

package struct GroupPace: Sendable {
  /// Groups begin so far apart while it is worth it. No request rests longer.
  package static let interval: Duration = .milliseconds(10)
  /// So many groups may be ahead of that: a list of a few photos is through by then.
  package static let ahead = 16
  /// And so many after rests that brought little.
  package static let farAhead = 256
  /// A rest was worth it for so many requests.
  package static let many = 4
  /// Where rests were worth it, the last of so many others in a row is no chance any more.
  package static let trust = 4

  private static let shortest = interval * ahead
  private static let longest = interval * farAhead

  /// How long the groups so far would have taken, had they been an interval apart.
  private var due = Duration.zero
  /// How far that may lie ahead of now.
  private var slack = Self.shortest
  private var trust = 1
  /// When the next group may begin, where it is not at once.
  private var restEnd: Duration?

  package init() {}

  /// How long the next group still rests; zero where it begins at once.
  package func rest(at now: Duration) -> Duration {
    restEnd.map { max(.zero, $0 - now) } ?? .zero
  }

  /// A group begins, rested or, where somebody is in a hurry, sooner.
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
