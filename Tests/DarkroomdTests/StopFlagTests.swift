// SPDX-License-Identifier: Apache-2.0
// The daemon's wish to stop.

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
}
