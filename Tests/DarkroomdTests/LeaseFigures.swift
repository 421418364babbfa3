// SPDX-License-Identifier: Apache-2.0
// What a simulated cluster shows about fairness, about the end of its lists, and about storms of calls. A value.

import Support

struct LeaseFigures: CustomStringConvertible {
  /// The most photos that one of two users had got more than the other, while photos of both waited.
  private(set) var lead = 0
  /// The most calls that the ledger had in a second.
  private(set) var storm = 0
  /// When a node got photos last that none had had.
  private var lastLease = Duration.zero
  private var end = Duration.zero
  private var (second, calls) = (Int64(0), 0)

  /// What passes until every list is over, once each photo has been leased.
  var tail: Duration { end - lastLease }

  mutating func waited(_ one: Int, _ other: Int) { lead = max(lead, abs(one - other)) }

  mutating func leased(at time: Duration) { lastLease = time }

  mutating func ended(at time: Duration) { end = time }

  mutating func called(at time: Duration) {
    let now = time.components.seconds
    (second, calls) = (now, now == second ? calls + 1 : 1)
    storm = max(storm, calls)
  }

  var description: String {
    "a user was at most \(lead) photos ahead of another one, the ledger had at most \(storm) calls in a second, "
      + "and \(tail.components.seconds) s of \(end.components.seconds) s passed after the last lease"
  }
}
