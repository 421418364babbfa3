// SPDX-License-Identifier: Apache-2.0
// The answers of the daemon about views, for a few seconds: the pictures of a screen are asked for at once.
// Concurrency model: one Mutex around the entries.

import Steer
import Synchronization
import Vocabulary

final class ViewMemory: Sendable {
  struct Sight: Sendable {
    let list: UInt64
    let prints: String
  }

  private static let time = Duration.seconds(5)
  private static let most = 64

  private let sights = Mutex<[String: (sight: Sight, until: Duration)]>([:])

  func sight(_ view: String, of list: UInt64, now: Duration) -> Sight? {
    sights.withLock { sights in
      guard let known = sights[view], known.until > now, known.sight.list == list else {
        return nil
      }
      return known.sight
    }
  }

  func keep(_ sight: Sight, for view: String, now: Duration) {
    sights.withLock { sights in
      if sights.count >= Self.most { sights = sights.filter { $0.value.until > now } }
      if sights.count >= Self.most { return }
      sights[view] = (sight, now + Self.time)
    }
  }
}
