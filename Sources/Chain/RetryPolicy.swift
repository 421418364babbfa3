// SPDX-License-Identifier: Apache-2.0
// Decides what follows a failure: another attempt, the end of the photo, or a wait for the machine or the
// list. Pure.

package import Vocabulary

package struct RetryPolicy: Equatable, Sendable {
  package enum Verdict: Equatable, Sendable {
    case again(after: Duration)
    case giveUp
    /// The photo is not to blame: this machine is in trouble, as a whole or with the photo's list.
    case waitForMachine
    case waitForList
    /// The photo was stopped; its record does not change.
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

  /// The average sum of the waits between all attempts of a photo.
  package var span: Duration {
    var waits = Backoff(first, to: longest)
    return (1..<max(attempts, 1)).reduce(.zero) { total, _ in total + waits.take() / 2 }
  }

  /// - Parameter jitter: from 0 to 1. Full jitter: many photos of a dead host must not come back at the same
  /// time.
  /// - Parameter deaths: the number of workers that the photo has killed before.
  package func verdict(
    on failure: Failure, attempt: UInt32, deaths: UInt32 = 0, jitter: Double
  ) -> Verdict {
    switch failure.kind {
    case .cancelled: return .stop
    case .machine: return failure.scope == .one ? .waitForList : .waitForMachine
    case .final: return .giveUp
    case .passing: break
    }
    // An input that killed its worker twice would kill a third one as well.
    if failure.isWorkerDeath { return deaths >= 1 ? .giveUp : .again(after: .zero) }
    if failure.isLostOriginal { return .again(after: .zero) }
    guard attempt < attempts else { return .giveUp }
    let wait = Backoff(first, to: longest).after(Int(attempt)) * max(0, min(1, jitter))
    return .again(after: max(wait, .seconds(failure.waitSeconds.map(Int64.init) ?? 0)))
  }
}

extension Failure {
  /// The code of a loss by this machine, which counts no attempt of the photo.
  package static let lostOriginal = "original.lost"

  package var isLostOriginal: Bool { code == Self.lostOriginal }
}
