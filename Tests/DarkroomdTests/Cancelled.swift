// SPDX-License-Identifier: Apache-2.0
// Runs an act in a task that is cancelled before the act begins.

import Linux
import Vocabulary

enum Cancelled {
  /// Returns the failure of the act, or nil if it ended well in spite of the cancellation.
  static func run(_ act: @escaping @Sendable () async throws(Failure) -> Void) async -> Failure? {
    let begin = ChangeSignal()
    let task = Task {
      // Ends at the cancellation: the signal never changes.
      await begin.change(after: 0)
      do throws(Failure) {
        try await act()
        return nil as Failure?
      } catch { return error }
    }
    task.cancel()
    return await task.value
  }
}
