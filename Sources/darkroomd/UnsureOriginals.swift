// SPDX-License-Identifier: Apache-2.0
// Photos whose origin did not tell where their bytes end: what was cut off there looks whole, and only
// the filter sees that it is not. Such a photo is downloaded once more. In memory only: after a restart
// the filter's word counts.
// Concurrency model: one Mutex around the dictionary; bounded by the window.

import Synchronization
import Vocabulary

final class UnsureOriginals: Sendable {
  private enum Turn { case first, second }

  private let turns = Mutex<[PhotoID: Turn]>([:])

  /// The photo was downloaded.
  func note(_ photo: PhotoID, isEndSure: Bool) {
    turns.withLock { turns in
      if isEndSure { turns[photo] = nil } else { turns[photo] = turns[photo] ?? .first }
    }
  }

  /// Whether it should be downloaded once more; true once.
  func takeTurn(_ photo: PhotoID) -> Bool {
    turns.withLock { turns in
      guard turns[photo] == .first else { return false }
      turns[photo] = .second
      return true
    }
  }

  func forget(_ photo: PhotoID) { turns.withLock { $0[photo] = nil } }

  func forget(_ list: ListID) {
    turns.withLock { turns in turns = turns.filter { $0.key.list != list } }
  }
}
