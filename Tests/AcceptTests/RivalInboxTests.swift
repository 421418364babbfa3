// SPDX-License-Identifier: Apache-2.0
// Two daemons with one inbox, each with its own state: only the first takes lists, as long as it lives.

import Linux
import Support
import Synchronization
import Testing
import Vocabulary

@testable import Accept

@Suite struct RivalInboxTests {
  @Test func `the second daemon refuses the inbox, also while the first has nothing to do`()
    async throws
  {
    let bench = try InboxBench()
    await bench.settle()
    let rules = ScriptedRules()
    let rival = try bench.rival(rules)
    for number in 1...5 {
      User.put(bench.path("\(number).plist"), "\(number) end")
      for _ in 1...2 {
        #expect(await rival.settled().isTroubled)
        await bench.settle()
      }
      #expect(bench.rules.recorded.count == number)
    }
    #expect(rules.recorded.isEmpty)
    #expect(rules.state.withLock { $0.troubles } == ["inbox.taken"])
    #expect(bench.troubles == [])

    await bench.inbox.stop()
    User.put(bench.path("last.plist"), "last end")
    #expect(await !rival.settled().isTroubled)
    await bench.pass(.seconds(1), of: rival)
    #expect(rules.names == ["last.plist"])
    // The kernel may have no watch left for it beside all other tests of the process.
    let troubles = rules.state.withLock { $0.troubles.filter { $0 != "inbox.watch" } }
    #expect(
      troubles.first == "inbox.taken" && troubles.allSatisfy { $0 == nil || $0 == "inbox.taken" })
    await rival.stop()
  }

  @Test func `an inbox that is given back can be taken by its next daemon at once`() async throws {
    let bench = try InboxBench()
    await bench.settle()
    await bench.inbox.stop()
    let next = try bench.another()
    #expect(await !next.settled().isTroubled)
    #expect(bench.troubles == [])
    await next.stop()
  }
}
