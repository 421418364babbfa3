// SPDX-License-Identifier: Apache-2.0
// A limit on streams at once: each holds a thread, and a connection to the daemon, which allows few to one user. A viewer
// has at most an eighth of them. A place is free again when nothing refers to it.
// Concurrency model: one Mutex around the numbers of places that are taken.

import Synchronization

final class StreamPlaces: Sendable {
  final class Place: Sendable {
    private let places: StreamPlaces
    private let viewer: UInt32

    fileprivate init(_ places: StreamPlaces, _ viewer: UInt32) {
      (self.places, self.viewer) = (places, viewer)
    }

    deinit {
      places.taken.withLock { taken in
        taken[viewer, default: 0] -= 1
        if taken[viewer] == 0 { taken[viewer] = nil }
      }
    }
  }

  private let count: Int
  private let taken = Mutex<[UInt32: Int]>([:])

  init(_ count: Int) { self.count = count }

  func take(for viewer: UInt32) -> Place? {
    let isFree = taken.withLock { taken in
      let all = taken.values.reduce(0, +)
      guard all < count, taken[viewer, default: 0] < max(1, count / 8) else { return false }
      taken[viewer, default: 0] += 1
      return true
    }
    return isFree ? Place(self, viewer) : nil
  }
}
