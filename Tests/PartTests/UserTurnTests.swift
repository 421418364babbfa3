// SPDX-License-Identifier: Apache-2.0
// The costly calls of a user, one at a time; and searches that end with their caller.

import Linux
import Steer
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
    async let second: Void = call("second", of: 1)
    async let other: Void = call("other", of: 2)
    #expect(await begun.wait { $0 == ["first", "other"] })
    mayEnd.change { $0.insert("first") }
    #expect(await begun.wait { $0 == ["first", "other", "second"] })
    mayEnd.change { $0.formUnion(["second", "other"]) }
    _ = await (first, second, other)
  }

  @Test func `a search ends when its caller has left`() async throws {
    try await PeopleBench.use { bench in
      try await bench.parts.add(1)
      let list = ListReference("1")
      let left = ControlReply.failed(.notPossible(why: "the caller has left"))
      let calls = bench.calls
      let begin = ChangeSignal()
      let task = Task {
        // Ends at the cancellation: the signal never changes.
        await begin.change(after: 0)
        return [
          await calls.handle(.find(FindOrder(list: list, text: "zzz")), from: .owner),
          await calls.handle(.colours(ColoursOrder(list: list, groups: 64)), from: .owner),
        ]
      }
      task.cancel()
      #expect(await task.value == [left, left])
      let found = await calls.handle(.find(FindOrder(list: list, text: "zzz")), from: .owner)
      #expect(found == .found(FindReport()))
    }
  }
}
