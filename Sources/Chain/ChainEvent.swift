// SPDX-License-Identifier: Apache-2.0
// What the chains tell of themselves, and what they answer when they are asked.

package import Vocabulary

package enum ChainEvent: Equatable, Sendable {
  /// This machine is in trouble: the queues are suspended.
  case trouble(Failure, retryAfter: Duration)
  case recovered
  case finished(ListID)
  /// A server has no room for anything but a probe, or is back.
  case host(Admission.HostNews)
}

package struct ChainCounts: Equatable, Sendable {
  package var inFlight = 0
  /// Photos with operations in the queues, those included that were called off.
  package var queued = 0
  package var downloading = 0
  package var filtering = 0
  package var outputting = 0
  /// Lists whose end is being recorded.
  package var finishing = 0
  package var trouble: Failure?
}
