// SPDX-License-Identifier: Apache-2.0
// The stages as functions, handed in from outside: the chain knows their order and nothing of their
// work. Each makes its effect durable and records it before it returns. This is the seam where a
// stage becomes a remote one.

package import Vocabulary

/// `Original` is what the download stage hands on, `Negative` what the filter stage does.
package struct Stages<Original: Sendable, Negative: Sendable>: Sendable {
  /// Brings the original in; records `downloaded`. Calls back once its server has nothing more to do
  /// with it: what follows is this machine's affair.
  package let download:
    @Sendable (PhotoWork, _ arrived: @Sendable () -> Void) async throws(Failure) -> Original
  /// The original of a photo that is recorded as downloaded. Where it is gone, records `lost` and
  /// raises a passing failure.
  package let recall: @Sendable (PhotoWork) async throws(Failure) -> Original
  /// Makes the finished picture, out of sight.
  package let filter: @Sendable (PhotoWork, Original) async throws(Failure) -> Negative
  /// Makes it appear as a print; records `filtered`.
  package let output: @Sendable (PhotoWork, Negative) async throws(Failure) -> Void
  /// A finished picture that will not appear: the chain ended before its output did.
  package let discard: @Sendable (Negative) -> Void

  package init(
    download:
      @escaping @Sendable (PhotoWork, _ arrived: @Sendable () -> Void)
      async
      throws(Failure) -> Original,
    recall: @escaping @Sendable (PhotoWork) async throws(Failure) -> Original,
    filter: @escaping @Sendable (PhotoWork, Original) async throws(Failure) -> Negative,
    output: @escaping @Sendable (PhotoWork, Negative) async throws(Failure) -> Void,
    discard: @escaping @Sendable (Negative) -> Void
  ) {
    self.download = download
    self.recall = recall
    self.filter = filter
    self.output = output
    self.discard = discard
  }
}

/// One photo on its way.
package struct PhotoWork: Equatable, Sendable {
  package let photo: PhotoID
  /// As recorded when the chain was made: `new` or `downloaded`.
  package let state: PhotoState
  package let serviceClass: ServiceClass
  /// Counted from 1.
  package let attempt: UInt32
  /// When it was admitted, by the machine's uptime.
  package let admitted: Duration
  /// Known before anything is tried: its server has been closed for too long.
  package let refusal: Failure?

  /// The same work, counted anew: a stage that succeeded forgets the attempts of the one before.
  package func counted(_ attempt: UInt32) -> PhotoWork {
    PhotoWork(
      photo: photo, state: state, serviceClass: serviceClass, attempt: attempt, admitted: admitted,
      refusal: refusal)
  }

  package init(
    photo: PhotoID, state: PhotoState, serviceClass: ServiceClass, attempt: UInt32,
    admitted: Duration, refusal: Failure? = nil
  ) {
    self.photo = photo
    self.state = state
    self.serviceClass = serviceClass
    self.attempt = attempt
    self.admitted = admitted
    self.refusal = refusal
  }
}

/// What the chains need of the record.
package protocol ChainBooks: Sendable {
  /// The first photo after `number` that is neither filtered nor failed, with its state.
  func nextUnfinished(in list: ListID, after number: UInt32) -> (number: UInt32, state: PhotoState)?
  func state(of photo: PhotoID) -> PhotoState
  /// From which server it comes and of which class it is; may read a file.
  func prospect(of photo: PhotoID) -> Admission.Prospect
  /// How many attempts of the photo are recorded.
  func attempts(of photo: PhotoID) -> UInt32
  /// How many workers have died over the photo.
  func deaths(of photo: PhotoID) -> UInt32
  /// The photo will be tried again; durable on return.
  func recordRetry(
    _ work: PhotoWork, _ stage: Stage, _ failure: Failure, after delay: Duration
  ) async throws(Failure)
  /// The photo is given up; durable on return.
  func recordFailure(_ work: PhotoWork, _ stage: Stage, _ failure: Failure) async throws(Failure)
  /// Every photo of the list is filtered or failed. False where the list was over already.
  func recordFinished(_ list: ListID) async throws(Failure) -> Bool
}
