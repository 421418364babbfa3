// SPDX-License-Identifier: Apache-2.0
// Turns of one user's costly calls: one at a time, in their order, beside those of other users.
// Concurrency model: `waiting` guards the turns; replies are given with it released.

import Linux
import Synchronization

final class UserTurns: Sendable {
  /// The calls that wait; a user without an entry has no call at work.
  private let waiting = Mutex<[UInt32: [Reply<Void>]]>([:])

  func take<Value: Sendable, Problem: Error>(
    of user: UInt32, _ act: () async throws(Problem) -> Value
  ) async throws(Problem) -> Value {
    await Reply<Void>.wait { reply in
      let isFree = waiting.withLock { waiting in
        guard waiting[user] != nil else {
          waiting[user] = []
          return true
        }
        waiting[user]?.append(reply)
        return false
      }
      if isFree { reply.give() }
    }
    defer { pass(user) }
    return try await act()
  }

  private func pass(_ user: UInt32) {
    let next = waiting.withLock { waiting -> Reply<Void>? in
      guard let first = waiting[user]?.first else {
        waiting[user] = nil
        return nil
      }
      waiting[user]?.removeFirst()
      return first
    }
    next?.give()
  }
}
