// SPDX-License-Identifier: Apache-2.0
// Turns of one user's scans: one at a time, in their order, beside the scans of other users. A value.

import Linux

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
