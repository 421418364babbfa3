// SPDX-License-Identifier: Apache-2.0
// The daemon's wish to stop.

import Linux
import Support
import Testing

@testable import darkroomd

@Suite struct StopFlagTests {
  @Test func `a flag that is turned on releases every waiter, and stays on`() async {
    let flag = StopFlag()
    #expect(!flag.isOn)
    async let first: Void = flag.wait()
    async let second: Void = flag.wait()
    flag.turnOn()
    flag.turnOn()
    _ = await (first, second)
    await flag.wait()
    #expect(flag.isOn)
  }

  @Test func `a cancelled waiter returns, and leaves the flag off`() async {
    let flag = StopFlag()
    let waiter = Task { await flag.wait() }
    waiter.cancel()
    await waiter.value
    #expect(!flag.isOn)
  }

  @Test func `a stop does not wait for a look at a disk that hangs`() async throws {
    let (flag, gate) = (StopFlag(), ThreadSignal())
    let (begun, ended) = (ChangeSignal(), ChangeSignal())
    let look = Task {
      let answer = await flag.unlessOn {
        begun.changed()
        gate.wait()
        return 1
      }
      ended.changed()
      return answer
    }
    await begun.change(after: 0)
    flag.turnOn()
    #expect(try await Patience.sees { ended.version > 0 })
    gate.ring()
    #expect(await look.value == nil)
    #expect(await flag.unlessOn { 1 } == nil)
  }

  @Test func `a look that answers is not held up by the wish that may come`() async {
    let flag = StopFlag()
    #expect(await flag.unlessOn { 1 } == 1)
    #expect(!flag.isOn)
  }
}
