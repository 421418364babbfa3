// SPDX-License-Identifier: Apache-2.0
// How a photo's chain ended; the events and the counts of all chains.

package import Vocabulary

package enum PhotoEnd: Equatable, Sendable {
  case filtered
  case failed
  /// `failed` is when the step failed. A flush after that also applies to this retry, which was still being recorded.
  case retry(after: Duration, failed: Duration? = nil)
  case stopped
  /// `hold` is the number of holds when the failed step began. A failure from before the last hold says
  /// nothing about the machine now.
  case machineTrouble(Failure, hold: UInt)
  case listTrouble(Failure)
}

package enum ChainEvent: Equatable, Sendable {
  /// This machine is in trouble: all work is held.
  case troubled(Failure)
  /// - Parameter isProven: false if the place of the prints was in trouble, and the trouble ends only because no
  /// chain is left to meet it.
  case recovered(isProven: Bool)
  /// The proxy is in trouble: downloads through it are held.
  case proxyTroubled(Failure)
  case proxyRecovered
  /// This list alone is in trouble: its photos wait.
  case listTroubled(ListID, Failure)
  case listRecovered(ListID)
  /// The list's own files cannot be read: no photo of it begins.
  case unreadable(ListID, Failure)
  /// The list has no unfinished photo.
  case done(ListID)
  /// Seats at hosts should be asked for.
  case seatsWanted
  /// A host is closed except for probes, or has reopened.
  case host(Admission.HostNews)
}

package struct ChainCounts: Equatable, Sendable {
  package var inFlight = 0
  /// Photos with operations in the queues, including cancelled ones.
  package var queued = 0
  package var downloading = 0
  package var filtering = 0
  package var outputting = 0
}
