// SPDX-License-Identifier: Apache-2.0
// The time that a test waits for an expected event before it fails. More than a thousand tests share
// few threads, in one queue: on a slow machine a new task waits for minutes. Only a failing test takes
// this long.

package enum Patience {
  package static let seconds = 900
  package static let time = Duration.seconds(seconds)

  /// The value of an act that ends when it is cancelled; nil if there is none in time.
  package static func value<Value: Sendable>(
    of act: @escaping @Sendable () async -> Value
  ) async -> Value? {
    await withTaskGroup(of: Value?.self) { group in
      group.addTask { await act() }
      group.addTask {
        try? await Task.sleep(for: time)
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
  }

  /// Repeats the condition until it holds; returns false if it does not in time.
  package static func sees(_ holds: () async throws -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + time
    while try await !holds() {
      guard ContinuousClock.now < end else { return false }
      try await Task.sleep(for: .milliseconds(4))
    }
    return true
  }
}
