// SPDX-License-Identifier: Apache-2.0
// A time in which the ledger does not answer: the last failure, and the reasons that people have read. A value.

import Vocabulary

extension ShareDesk {
  struct Silence: Equatable, Sendable {
    /// The last one.
    let failure: Failure
    /// The wall time of the first of the failures that follow each other.
    let since: UInt64
    /// The reasons, the newest last.
    private var reasons: [String]

    /// Some servers give another reason at each attempt.
    static let mostReasons = 10

    init(failure: Failure, since: UInt64) {
      (self.failure, self.since, reasons) = (failure, since, [failure.reason])
    }

    /// The ledger has not answered again.
    func next(_ failure: Failure) -> Silence {
      var next = Silence(failure: failure, since: since)
      let isKnown = reasons.contains(failure.reason) || reasons.count >= Self.mostReasons
      next.reasons = isKnown ? reasons : reasons + [failure.reason]
      return next
    }

    /// The reason is new, and the code is not: `Health` reports new codes by itself.
    func isNews(after before: Silence) -> Bool {
      failure.code == before.failure.code && reasons.count > before.reasons.count
    }

    var trouble: Failure {
      Failure(
        failure.kind, code: failure.code,
        reason: "\(failure.reason), since \(DateText.utc(milliseconds: since))",
        advice: failure.advice)
    }
  }
}
