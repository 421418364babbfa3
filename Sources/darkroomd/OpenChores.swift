// SPDX-License-Identifier: Apache-2.0
// What this machine kept from being done and is tried again by itself: opening a list, copying one to
// `done`. Concurrency model: one Mutex; chores run on the clock's thread, which hands them on.

import Synchronization
import Vocabulary

final class OpenChores: Sendable {
  enum Chore: Hashable, Sendable {
    case open(ListID)
    case archive(ListID)
  }

  private static let pause = Duration.seconds(5)

  private let clock: any Timekeeper
  private let waiting = Mutex<[Chore: String]>([:])

  init(clock: any Timekeeper) { self.clock = clock }

  /// For people: what waits, and why.
  var words: [String] { waiting.withLock { $0.values.sorted() } }

  /// A copy to `done` that is not made yet.
  var hasCopies: Bool {
    waiting.withLock { waiting in
      waiting.keys.contains { if case .archive = $0 { true } else { false } }
    }
  }

  /// Tries the chore again after a while. True when it has not waited before.
  func add(_ chore: Chore, _ words: String, again: @escaping @Sendable () -> Void) -> Bool {
    let isNew = waiting.withLock { waiting in waiting.updateValue(words, forKey: chore) == nil }
    _ = clock.after(Self.pause, again)
    return isNew
  }

  /// True when it had waited.
  func isDone(_ chore: Chore) -> Bool {
    waiting.withLock { $0.removeValue(forKey: chore) != nil }
  }
}
