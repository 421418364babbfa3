// SPDX-License-Identifier: Apache-2.0
// When this node asks the ledger for seats at servers, and the number of each request. A value.

import Chain
import Cluster
import Vocabulary

struct SeatBook: Sendable {
  /// Between two requests, if no pulse is due.
  static let rest = Duration.seconds(1)

  private var number: UInt64 = 0
  /// The ledger may have seats of this node, even of an earlier run.
  private var isKnown = true
  private var isWanted = false
  private var asked: Duration?

  /// A request should not wait for the next pulse. True if that is new.
  mutating func want() -> Bool {
    defer { isWanted = true }
    return !isWanted
  }

  /// When a request is due before the next pulse.
  var due: Duration? { isWanted ? asked.map { $0 + Self.rest } ?? .zero : nil }

  /// Nil if the node has no seats and needs none.
  mutating func request(
    _ claims: [SeatClaim], _ limits: HostLimits, at now: Duration
  ) -> SeatRequest? {
    (isWanted, asked) = (false, now)
    if claims.isEmpty, !isKnown { return nil }
    isKnown = true
    number += 1
    return SeatRequest(number: number, most: limits.most, useful: limits.useful, claims)
  }

  /// The seats; nil for an answer to another request.
  mutating func answered(_ request: SeatRequest, _ answer: [SeatGrant]?) -> [SeatGrant]? {
    guard let answer, answer.count == request.claims.count else { return nil }
    isKnown = !request.claims.isEmpty
    return answer
  }
}
