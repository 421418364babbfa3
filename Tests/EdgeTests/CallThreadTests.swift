// SPDX-License-Identifier: Apache-2.0
// The turns of users at the thread of calls, counted.

import Linux
import Support
import Testing

@Suite struct CallThreadTests {
  @Test func `a user with 10,000 calls delays the call of another user by one`() async throws {
    let thread = try CallThread("test-turns")
    let order = EventBoard([UInt32]())
    // The thread is busy until all calls are there.
    await Task(executorPreference: thread.lane(of: 1)) {
      for _ in 0..<10_000 {
        Task.detached(executorPreference: thread.lane(of: 1)) { order.change { $0.append(1) } }
      }
      for user in [2, 3] as [UInt32] {
        Task.detached(executorPreference: thread.lane(of: user)) {
          order.change { $0.append(user) }
        }
      }
    }.value
    #expect(
      await order.wait { $0.count >= 4 && $0.prefix(4).contains(2) && $0.prefix(4).contains(3) })
    #expect(await order.wait { $0.count == 10_002 })
  }

  @Test func `a long call of one user gives way to the calls of another user`() async throws {
    let thread = try CallThread("test-ways")
    let steps = EventBoard([UInt32]())
    let other = await Task(executorPreference: thread.lane(of: 1)) {
      let other = Task.detached(executorPreference: thread.lane(of: 2)) {
        steps.change { $0.append(2) }
      }
      steps.change { $0.append(1) }
      await giveWay()
      steps.change { $0.append(1) }
      return other
    }.value
    await other.value
    #expect(steps.value == [1, 2, 1])
  }

  @Test func `a user's calls keep their order, also when the thread has slept`() async throws {
    let thread = try CallThread("test-order")
    for round in 0..<3 {
      let seen = EventBoard([Int]())
      await Task(executorPreference: thread.lane(of: 1)) {
        for number in 0..<100 {
          Task.detached(executorPreference: thread.lane(of: 1)) {
            seen.change { $0.append(number) }
          }
        }
      }.value
      #expect(await seen.wait { $0 == Array(0..<100) }, "\(round)")
    }
  }
}
