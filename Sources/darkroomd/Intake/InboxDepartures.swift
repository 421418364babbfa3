// SPDX-License-Identifier: Apache-2.0
// The last 100 files that left the inbox, with the list or the rejection of each, for the users who dropped
// them. In memory only. Raises nothing.
// Concurrency model: one Mutex.

import Steer
import Synchronization
import Vocabulary

final class InboxDepartures: Sendable {
  struct Departure: Sendable {
    let list: ListID
    let file: String
    /// The reason of a rejection; nil if it was accepted.
    let rejection: OwnersReason?
  }

  private static let maximum = 100

  private struct State {
    var newest: [Departure] = []
    var rejected = 0
  }

  private let state = Mutex(State())

  /// The newest last.
  var all: [Departure] { state.withLock { $0.newest } }
  /// The number of all files rejected since the start.
  var rejected: Int { state.withLock { $0.rejected } }

  func note(_ list: ListID, _ file: String, _ rejection: OwnersReason?) {
    state.withLock { state in
      if state.newest.count >= Self.maximum { state.newest.removeFirst() }
      state.newest.append(Departure(list: list, file: file, rejection: rejection))
      if rejection != nil { state.rejected += 1 }
    }
  }

  /// The reason why the newest file of this reference that is meant was rejected, if its number is above `list`.
  func rejection(
    of reference: ListReference, after list: UInt64,
    isMeant: (Departure) -> Bool = { _ in true }
  ) -> OwnersReason? {
    all.last { $0.list.number > list && reference.means(file: $0.file) && isMeant($0) }?.rejection
  }
}
