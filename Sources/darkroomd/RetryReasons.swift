// SPDX-License-Identifier: Apache-2.0
// Why photos wait for another attempt, for whoever asks: the newest few thousand, in memory only. After
// a restart the time is known and the reason is not.
// Concurrency model: one Mutex.

import Synchronization
import Vocabulary

final class RetryReasons: Sendable {
  private static let maximum = 8192

  private let reasons = Mutex<[PhotoID: Failure]>([:])

  func note(_ photo: PhotoID, _ failure: Failure) {
    reasons.withLock { reasons in
      if reasons.count >= Self.maximum { reasons.removeAll() }
      reasons[photo] = failure
    }
  }

  func forget(_ list: ListID) {
    reasons.withLock { reasons in reasons = reasons.filter { $0.key.list != list } }
  }

  func reason(_ photo: PhotoID) -> Failure? { reasons.withLock { $0[photo] } }
}
