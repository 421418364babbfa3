// SPDX-License-Identifier: Apache-2.0
// Rings are counted, and a wait that has an end has one.

import Linux
import Testing

struct ThreadSignalTests {
  @Test func `a wait takes one ring, and says when there was none`() {
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
