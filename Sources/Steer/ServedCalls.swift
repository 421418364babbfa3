// SPDX-License-Identifier: Apache-2.0
// The calls that have no answer yet, for the last message of a process whose calls are stuck.
// Concurrency model: one lock around one value.

internal import Synchronization

package final class ServedCalls: Sendable {
  private struct Entry {
    let name: String
    let user: UInt32
    let order: UInt64
  }

  private struct State {
    /// By the caller's connection, which has one call at a time.
    var entries: [UInt64: Entry] = [:]
    var last: UInt64 = 0
  }

  private static let mostTold = 5

  private let state = Mutex(State())

  package init() {}

  package func begin(_ name: String, of user: UInt32, at connection: UInt64) {
    state.withLock { state in
      state.last += 1
      state.entries[connection] = Entry(name: name, user: user, order: state.last)
    }
  }

  package func end(_ connection: UInt64) { state.withLock { $0.entries[connection] = nil } }

  /// The calls that began last, such as `Find of user 1000, Show of user 1001`; empty without any.
  package var words: String {
    let entries = state.withLock { Array($0.entries.values) }.sorted { $0.order > $1.order }
    let told = entries.prefix(Self.mostTold).map { "\($0.name) of user \($0.user)" }
    let more = entries.count - told.count
    return told.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
  }
}
