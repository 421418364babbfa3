// SPDX-License-Identifier: Apache-2.0
// The calls that have no answer yet, in words for the last message of a daemon.

import Steer
import Testing

@Suite struct ServedCallTests {
  @Test func `the calls without an answer are named with their users, the newest first`() {
    let served = ServedCalls()
    #expect(served.words.isEmpty)
    served.begin("a message", of: 1000, at: 1)
    served.begin("Show", of: 1001, at: 2)
    served.begin("Find", of: 1000, at: 1)
    #expect(served.words == "Find of user 1000, Show of user 1001")
    served.end(1)
    #expect(served.words == "Show of user 1001")
    for number: UInt64 in 3...9 { served.begin("Why", of: 0, at: number) }
    #expect(served.words.hasSuffix("Why of user 0 and 3 more"))
  }
}
