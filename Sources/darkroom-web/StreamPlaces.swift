// SPDX-License-Identifier: Apache-2.0
// A limit on streams at once: each holds a thread, and a connection to the daemon, which allows few to one user. A
// place is free again when nothing refers to it.
// Concurrency model: one Mutex around the number of free places.

import Synchronization

final class StreamPlaces: Sendable {
  final class Place: Sendable {
    private let places: StreamPlaces

    fileprivate init(_ places: StreamPlaces) { self.places = places }

    deinit { places.free.withLock { $0 += 1 } }
  }

  private let free: Mutex<Int>

  init(_ count: Int) { free = Mutex(count) }

  func take() -> Place? {
    let isFree = free.withLock { free in
      guard free > 0 else { return false }
      free -= 1
      return true
    }
    return isFree ? Place(self) : nil
  }
}
