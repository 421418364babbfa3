// SPDX-License-Identifier: Apache-2.0
// What was kept from being done: opening a list, copying one to `done`. What this machine was in the way
// of is tried again by itself; a list whose files are damaged waits for a person and the next start.
// Concurrency model: one Mutex; chores run on the clock's thread, which hands them on.

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
  private let damaged = Mutex<[ListID: String]>([:])

  init(clock: any Timekeeper) { self.clock = clock }

  /// For people: what waits, and why.
  var words: [String] {
    waiting.withLock { Array($0.values) }.sorted() + damaged.withLock { Array($0.values) }.sorted()
  }

  /// Lists that nothing is done for until somebody looks after them.
  var abandoned: Set<ListID> { damaged.withLock { Set($0.keys) } }

  /// True when it is news.
  func abandon(_ list: ListID, _ words: String) -> Bool {
    _ = isDone(.open(list))
    return damaged.withLock { $0.updateValue(words, forKey: list) == nil }
  }

  /// The list is over.
  func forget(_ list: ListID) { damaged.withLock { _ = $0.removeValue(forKey: list) } }

  /// What could not be done at the first attempt, however it ends.
  var left: Int { waiting.withLock { $0.count } + damaged.withLock { $0.count } }

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
