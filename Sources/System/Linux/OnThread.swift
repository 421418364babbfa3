// SPDX-License-Identifier: Apache-2.0
// Confines a value to a reactor's thread: every use runs as a task there. Uses interleave only where they await. The
// compiler checks that the value does not escape. The compiler does not isolate bodies of task groups, and closures
// with a capture list; the executor preference keeps these on the thread as well.

package actor OnThread<Value> {
  private let value: Value
  private nonisolated let reactor: Reactor

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe reactor.asUnownedSerialExecutor()
  }

  package init(_ reactor: Reactor, _ make: @Sendable () -> Value) {
    self.reactor = reactor
    value = make()
  }

  package func with<Result: Sendable, Failure: Error>(
    _ body: (Value) async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    try await withTaskExecutorPreference(reactor) { () async throws(Failure) in
      try await body(value)
    }
  }
}
