// SPDX-License-Identifier: Apache-2.0
// The pace of each list at work, and the bytes downloaded for it since the daemon started. Raises nothing.
// Concurrency model: one Mutex.

import Steer
import Synchronization
import Vocabulary

final class ListPaces: Sendable {
  private struct Account {
    var pace = PhotoPace()
    var bytes: UInt64 = 0
  }

  private let accounts = Mutex<[ListID: Account]>([:])

  func downloaded(_ list: ListID, bytes: UInt64) {
    accounts.withLock { $0[list, default: Account()].bytes += bytes }
  }

  /// - Parameter now: an uptime.
  func ended(_ list: ListID, at now: Duration) {
    accounts.withLock { $0[list, default: Account()].pace.ended(at: now) }
  }

  /// The list is over.
  func forget(_ list: ListID) { accounts.withLock { $0[list] = nil } }

  func pace(of list: ListID, at now: Duration) -> ListPace {
    guard let account = accounts.withLock({ $0[list] }) else { return ListPace() }
    return ListPace(bytes: account.bytes, photosPerHour: account.pace.photosPerHour(at: now))
  }
}
