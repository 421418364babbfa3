// SPDX-License-Identifier: Apache-2.0
// Rings are counted, and a wait with a limit ends.

import Linux
import Testing

struct ThreadSignalTests {
  @Test func `each wait takes one ring, and a wait with a limit says whether there was one`() {
    let signal = ThreadSignal()
    signal.ring()
    signal.ring()
    signal.wait()
    #expect(signal.wait(atMost: .seconds(3600)))
    #expect(!signal.wait(atMost: .zero))
    #expect(!signal.wait(atMost: .nanoseconds(1)))
    #expect(!signal.wait(atMost: .seconds(-1)))
  }
}
