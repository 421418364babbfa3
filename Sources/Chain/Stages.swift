// SPDX-License-Identifier: Apache-2.0
// The chains' interfaces to the stages and the record. A chain knows the order of the stages, not their work.
// Download and output make their effect durable and record it before they return. At this seam a stage can
// become remote.

package import Vocabulary

package protocol Stages<Order, Original, Negative>: Sendable {
  /// The facts about a photo that the stages need.
  associatedtype Order: Sendable
  /// The result of the download stage.
  associatedtype Original: Sendable
  /// The result of the filter stage.
  associatedtype Negative: Sendable

  /// Fetches the original and records `downloaded`. Calls `arrived` with the server that has sent it when the host is no
  /// longer needed.
  func download(
    _ work: PhotoWork<Order>, arrived: @Sendable (String?) -> Void
  ) async throws(Failure) -> Original
  /// Returns the original of a photo that is recorded as downloaded. If it is gone, records `lost` and raises
  /// a passing failure.
  func recall(_ work: PhotoWork<Order>) async throws(Failure) -> Original
  /// Makes the finished picture under a hidden name; records nothing.
  func filter(_ work: PhotoWork<Order>, _ original: Original) async throws(Failure) -> Negative
  /// Publishes the picture as a print; records `filtered`.
  func output(_ work: PhotoWork<Order>, _ negative: Negative) async throws(Failure)
  /// Discards a finished picture if the chain ended before its output.
  func discard(_ negative: Negative)
  /// The photos with transfers.
  func transfers() -> [PhotoID: TransferStanding]
}

package enum TransferStanding: Equatable, Sendable {
  /// The photo waits for a connection.
  case waiting
  /// `mayStop`: another transfer could continue it, and the rest takes longer than a new request.
  case running(mayStop: Bool)
}

/// One photo in a chain.
package struct PhotoWork<Order: Sendable>: Sendable {
  package let photo: PhotoID
  package let order: Order
  /// As recorded when the chain was made: `new` or `downloaded`.
  package let state: PhotoState
  package let serviceClass: ServiceClass
  /// Counted from 1.
  package var attempt: UInt32
  /// The uptime at admission.
  package let admitted: Duration
  /// The failure of a photo whose host has been closed for too long; nothing is tried.
  package let refusal: Failure?

  package init(
    photo: PhotoID, order: Order, state: PhotoState, serviceClass: ServiceClass, attempt: UInt32,
    admitted: Duration, refusal: Failure? = nil
  ) {
    self.photo = photo
    self.order = order
    self.state = state
    self.serviceClass = serviceClass
    self.attempt = attempt
    self.admitted = admitted
    self.refusal = refusal
  }

  /// The same work with another attempt number: a stage that succeeds resets the count.
  func counted(_ attempt: UInt32) -> PhotoWork {
    var work = self
    work.attempt = attempt
    return work
  }
}

/// The chains' access to the record.
package protocol ChainRecord<Order>: Sendable {
  associatedtype Order: Sendable

  /// The first photo after `number` that is neither filtered nor failed.
  func nextUnfinished(in list: ListID, after number: UInt32) -> UInt32?
  /// Nil when nothing is left to do: the photo is done, its list is over, or the record does not have it.
  func standing(of photo: PhotoID) -> PhotoStanding?
  /// Reads the photo's order and prospect; may wait for a disk. Raises a failure if the list's files cannot
  /// be read.
  func order(of photo: PhotoID) throws(Failure) -> (order: Order, prospect: Admission.Prospect)
  /// Records a retry; durable on return.
  func recordRetry(
    _ work: PhotoWork<Order>, _ stage: Stage, _ failure: Failure, after delay: Duration
  ) async throws(Failure)
  /// Records the photo's failure; durable on return.
  func recordFailure(
    _ work: PhotoWork<Order>, _ stage: Stage, _ failure: Failure
  ) async throws(Failure)
}

/// The recorded state of a photo with work left: `new` or `downloaded`.
package struct PhotoStanding: Equatable, Sendable {
  package var state: PhotoState
  /// Attempts recorded for its current stage.
  package var attempts: UInt32
  /// Workers that it has killed.
  package var deaths: UInt32

  package init(state: PhotoState, attempts: UInt32 = 0, deaths: UInt32 = 0) {
    self.state = state
    self.attempts = attempts
    self.deaths = deaths
  }
}
