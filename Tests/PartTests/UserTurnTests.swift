// SPDX-License-Identifier: Apache-2.0
// The scans of a user, one at a time.

import Linux
import Support
import Synchronization
import Testing

@testable import darkroomd

private final class SharedTurns: Sendable {
  let state = Mutex(UserTurns())
}

@Suite struct UserTurnTests {
  @Test func `calls of one user follow each other, beside the calls of another user`() async {
    let turns = SharedTurns()
    let (begun, mayEnd) = (EventBoard([String]()), EventBoard(Set<String>()))
    @Sendable func call(_ name: String, of user: UInt32) async {
      await Reply.wait { reply in
        if turns.state.withLock({ $0.begin(of: user, reply) }) { reply.give() }
      }
      begun.change { $0.append(name) }
      _ = await mayEnd.wait { $0.contains(name) }
      turns.state.withLock { $0.end(of: user) }?.give()
    }
    async let first: Void = call("first", of: 1)
    #expect(await begun.wait { $0 == ["first"] })
    // It has asked for its turn when this returns.
    let second = Task.immediate { await call("second", of: 1) }
    #expect(turns.state.withLock { $0.waiting[1]?.count } == 1)
    async let other: Void = call("other", of: 2)
    #expect(await begun.wait { $0 == ["first", "other"] })
    mayEnd.change { $0.insert("first") }
    #expect(await begun.wait { $0 == ["first", "other", "second"] })
    mayEnd.change { $0.formUnion(["second", "other"]) }
    _ = await (first, second.value, other)
  }
}
