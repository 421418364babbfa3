// SPDX-License-Identifier: Apache-2.0
// Resumes a task that waits for one answer. The holder of the reply gives it exactly once.
// Concurrency: immutable; the runtime reports a reply that is lost or given twice. Inlinable: every photo waits
// several times, and a generic type of another module is looked up at each use.

package struct Reply<Value: Sendable>: Sendable {
  @usableFromInline
  let continuation: CheckedContinuation<Value, Never>

  @inlinable
  init(_ continuation: CheckedContinuation<Value, Never>) { self.continuation = continuation }

  /// Hands a reply to `ask` and waits until it is given. `ask` may give it at once.
  @inlinable
  package static func wait(_ ask: (Reply) -> Void) async -> Value {
    await withCheckedContinuation { ask(Reply($0)) }
  }

  @inlinable
  package func give(_ value: Value) { continuation.resume(returning: value) }
}

extension Reply<Void> {
  package func give() { give(()) }
}
