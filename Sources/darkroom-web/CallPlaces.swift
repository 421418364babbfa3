// SPDX-License-Identifier: Apache-2.0
// A limit on calls to the daemon at once, which serves few connections of one user. A viewer has at most an eighth of
// them: the threads of one who asks for more wait. Raises `SystemError` when it is made.
// Concurrency model: one Mutex around the viewers who have calls; the kernel counts the free places of each.

import Linux
import Synchronization
import Vocabulary

final class CallPlaces: Sendable {
  private struct Share {
    let places: FreePlaces
    var users = 0
  }

  private let all: FreePlaces
  private let ofViewer: UInt32
  /// Calls without a view are those of one viewer.
  private let shares = Mutex<[UInt32?: Share]>([:])

  init(_ count: UInt32) throws(SystemError) {
    all = try FreePlaces(count)
    ofViewer = max(1, count / 8)
  }

  /// Calls `act` on a place. The calling thread waits until one is free.
  func use<Value, Problem: Error>(
    for viewer: UInt32?, _ act: () throws(Problem) -> Value
  ) throws(Problem) -> Value {
    guard let own = share(of: viewer) else { return try all.use(act) }
    defer { leave(viewer) }
    return try own.use { () throws(Problem) in try all.use(act) }
  }

  /// Without descriptors for its own places, a viewer shares those of all.
  private func share(of viewer: UInt32?) -> FreePlaces? {
    shares.withLock { shares in
      if shares[viewer] == nil, let places = try? FreePlaces(ofViewer) {
        shares[viewer] = Share(places: places)
      }
      shares[viewer]?.users += 1
      return shares[viewer]?.places
    }
  }

  private func leave(_ viewer: UInt32?) {
    shares.withLock { shares in
      shares[viewer]?.users -= 1
      if shares[viewer]?.users == 0 { shares[viewer] = nil }
    }
  }
}
