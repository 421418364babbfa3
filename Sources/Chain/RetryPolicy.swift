// SPDX-License-Identifier: Apache-2.0
// What follows a failure: another attempt, giving the photo up, or waiting for this machine. Pure.

package import Vocabulary

package struct RetryPolicy: Equatable, Sendable {
  package enum Verdict: Equatable, Sendable {
    case again(after: Duration)
    case giveUp
    /// Nothing is wrong with the photo: this machine is in trouble.
    case waitForMachine
    /// Somebody stopped it; it stays as it is recorded.
    case stop
  }

  package let attempts: UInt32
  package let first: Duration
  package let longest: Duration

  package init(
    attempts: UInt32 = 8, first: Duration = .seconds(2), longest: Duration = .seconds(900)
  ) {
    self.attempts = attempts
    self.first = first
    self.longest = longest
  }

  /// How long all attempts of a photo take, the waits between them alone, and on an average.
  package var span: Duration {
    var total = Duration.zero
    var ceiling = first
    for _ in 1..<max(attempts, 1) {
      total += min(ceiling, longest) / 2
      if ceiling < longest { ceiling = ceiling * 2 }
    }
    return total
  }

  /// - Parameter jitter: from 0 to 1. Full jitter: many photos of one dead host must not come back
  ///   in step.
  /// - Parameter deaths: how many workers have died over the photo before.
  package func verdict(
    on failure: Failure, attempt: UInt32, deaths: UInt32 = 0, jitter: Double
  ) -> Verdict {
    switch failure.kind {
    case .cancelled: return .stop
    case .machine: return .waitForMachine
    case .final: return .giveUp
    case .passing: break
    }
    // An input that killed its worker twice would kill the third one as well.
    if failure.isWorkerDeath { return deaths >= 1 ? .giveUp : .again(after: .zero) }
    guard attempt < attempts else { return .giveUp }
    var ceiling = first
    for _ in 1..<max(attempt, 1) where ceiling < longest { ceiling = ceiling * 2 }
    let wait = min(ceiling, longest) * max(0, min(1, jitter))
    return .again(after: max(wait, .seconds(failure.waitSeconds.map(Int64.init) ?? 0)))
  }
}
