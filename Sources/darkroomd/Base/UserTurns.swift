// SPDX-License-Identifier: Apache-2.0
// Turns of one user's long work: one at a time, in their order, beside the work of other users. `UserTurns` is a value.
// Concurrency model of `UserLines`: one lock around the turns; the work runs with it released.

import Linux
import Synchronization

final class UserLines: Sendable {
  let turns = Mutex(UserTurns())

  /// Runs the work in the user's turn. A cancelled task waits for its turn as well.
  func run<Value: Sendable, Problem: Error>(
    of user: UInt32, _ work: () async throws(Problem) -> Value
  ) async throws(Problem) -> Value {
    await Reply.wait { reply in
      if turns.withLock({ $0.begin(of: user, reply) }) { reply.give() }
    }
    defer { turns.withLock { $0.end(of: user) }?.give() }
    return try await work()
  }
}

struct UserTurns: Sendable {
  /// The calls that wait; a user without an entry has no call at work.
  private(set) var waiting: [UInt32: [Reply<Void>]] = [:]

  /// True if the turn begins at once; the reply is given later otherwise.
  mutating func begin(of user: UInt32, _ reply: Reply<Void>) -> Bool {
    guard waiting[user] != nil else {
      waiting[user] = []
      return true
    }
    waiting[user]?.append(reply)
    return false
  }

  /// The next call of the user, to be told.
  mutating func end(of user: UInt32) -> Reply<Void>? {
    guard waiting[user]?.isEmpty == false else {
      waiting[user] = nil
      return nil
    }
    return waiting[user]?.removeFirst()
  }
}
