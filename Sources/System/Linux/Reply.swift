// SPDX-License-Identifier: Apache-2.0
// Resumes a task that waits for one answer. The holder of the reply gives it exactly once.
// Concurrency: immutable; the runtime reports a reply that is lost or given twice.

package struct Reply<Value: Sendable>: Sendable {
  private let continuation: CheckedContinuation<Value, Never>

  /// Hands a reply to `ask` and waits until it is given. `ask` may give it at once.
  package static func wait(_ ask: (Reply) -> Void) async -> Value {
    await withCheckedContinuation { ask(Reply(continuation: $0)) }
  }

  package func give(_ value: Value) { continuation.resume(returning: value) }
}

extension Reply<Void> {
  package func give() { give(()) }
}
