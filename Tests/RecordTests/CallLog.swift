// SPDX-License-Identifier: Apache-2.0
// A log of callbacks, in order. Concurrency: `state` guards it.

import Synchronization

final class CallLog<Entry: Sendable>: Sendable {
  private let state = Mutex<[Entry]>([])
  func add(_ entry: Entry) { state.withLock { $0.append(entry) } }
  var entries: [Entry] { state.withLock { $0 } }
}
