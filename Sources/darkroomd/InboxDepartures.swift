// SPDX-License-Identifier: Apache-2.0
// The last files that left the inbox and what they became, for whoever dropped them. In memory only.
// Concurrency model: one Mutex.

import Steer
import Synchronization
import Vocabulary

final class InboxDepartures: Sendable {
  struct Departure: Sendable {
    let list: ListID
    let file: String
    /// Why it was rejected; nil where it was accepted.
    let rejection: String?
  }

  private static let maximum = 100

  private let departures = Mutex<[Departure]>([])

  /// The newest last.
  var all: [Departure] { departures.withLock { $0 } }

  func note(_ list: ListID, _ file: String, _ rejection: String?) {
    departures.withLock { departures in
      if departures.count >= Self.maximum { departures.removeFirst() }
      departures.append(Departure(list: list, file: file, rejection: rejection))
    }
  }

  /// Why the newest file that is meant was turned away, if it came after the list of that number.
  func rejection(of reference: ListReference, after list: UInt64) -> String? {
    let newest = all.last { $0.list.number > list && reference.means(file: $0.file) }
    return newest?.rejection
  }
}
