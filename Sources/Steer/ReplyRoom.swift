// SPDX-License-Identifier: Apache-2.0
// The calls whose replies may be built, so that callers that do not read take little memory: the unread replies to a
// user, and the replies that are being built, have an eighth of the room for all users. A user without such a reply
// always has room for one, so that no user can lock out another one. Root and the daemon's user have their eighth beyond
// that. A value; the loop passes what the connections hold.

struct ReplyRoom: Sendable {
  struct Wait: Equatable, Sendable {
    let number: UInt64
    let user: UInt32
    let bytes: Int
  }

  let limits: ControlLimits
  let keepers: Set<UInt32>
  /// In the order of the calls.
  private var waits: [Wait] = []

  init(limits: ControlLimits, keepers: Set<UInt32>) {
    (self.limits, self.keepers) = (limits, keepers)
  }

  var isEmpty: Bool { waits.isEmpty }

  mutating func add(_ wait: Wait) { waits.append(wait) }

  mutating func remove(_ number: UInt64) { waits.removeAll { $0.number == number } }

  /// Takes out the calls that have room beside what each user holds.
  mutating func admit(beside held: [UInt32: Int]) -> [Wait] {
    var (held, all) = (held, held.reduce(0) { $0 + counted($1.value, of: $1.key) })
    var (admitted, waiting): ([Wait], [Wait]) = ([], [])
    for wait in waits {
      let own = held[wait.user] ?? 0
      // A short reply does not overtake a long one, which could otherwise wait without end.
      let isNext = !waiting.contains { $0.user == wait.user }
      guard isNext, own == 0 || hasRoom(wait, own: own, all: all) else {
        waiting.append(wait)
        continue
      }
      held[wait.user] = own + wait.bytes
      all += counted(wait.bytes, of: wait.user)
      admitted.append(wait)
    }
    waits = waiting
    return admitted
  }

  private func hasRoom(_ wait: Wait, own: Int, all: Int) -> Bool {
    own + wait.bytes <= limits.unreadPerUser
      && all + counted(wait.bytes, of: wait.user) <= limits.unread
  }

  private func counted(_ bytes: Int, of user: UInt32) -> Int { keepers.contains(user) ? 0 : bytes }
}

/// The parts of a reply, up to about `ControlLimits.page` bytes; one part always fits.
package struct ReplyPage: Sendable {
  private var bytes = 0

  package init() {}

  /// True if the part still belongs to the page.
  package mutating func takes(_ part: some MessageValue) -> Bool {
    let more = JSONWriter.bytes(.object(part.object)).count + 1
    if bytes > 0, bytes + more > ControlLimits.page { return false }
    bytes += more
    return true
  }
}
