// SPDX-License-Identifier: Apache-2.0
// What callers are told about an inbox with more files than a report shows.

import Support
import Testing
import Vocabulary

@testable import Accept

@Suite struct SweepReportTests {
  private let own = ["zebra.plist", "yak.plist"]

  /// Two files of user 1000 after 3,000 of user 2000, in any order of the sweep.
  private func crowded() -> InboxState {
    var state = InboxState(InboxSettings())
    let others = (0..<3_000).map { DropWorld.entry("crowd\($0).plist", version: 1, owner: 2000) }
    _ = state.swept(others, at: .zero)
    _ = state.swept(others + own.map { DropWorld.entry($0, version: 1) }, at: .seconds(1))
    return state
  }

  @Test func `a file is found by its name among more files than are shown`() throws {
    let state = crowded()
    for name in own + ["crowd2999.plist"] {
      let report = state.report(SweepQuestion { "\($0)" == name }, at: .zero)
      #expect(report.waiting.map { "\($0.name)" } == [name])
      #expect(report.waitingCount == 3_002)
    }
    #expect(state.report(SweepQuestion { "\($0)" == "cow.plist" }, at: .zero).waiting.isEmpty)
  }

  @Test func `an ignored file is found by its name`() {
    var state = InboxState(InboxSettings())
    let names = ["barn.doc", "cow.doc"]
    _ = state.swept(names.map { DropWorld.entry($0, version: 1) }, at: .zero)
    let report = state.report(SweepQuestion { "\($0)" == "cow.doc" }, at: .zero)
    #expect(report.ignored.keys.map { "\($0)" } == ["cow.doc"] && report.ignoredCount == 2)
  }

  @Test func `a user's own files are shown before those of others, each time in one order`() {
    let shown = crowded().report(SweepQuestion(user: 1000), at: .zero).waiting.map { "\($0.name)" }
    #expect(shown.count == SweepReport.maximumShown)
    #expect(shown.prefix(2) == ["yak.plist", "zebra.plist"])
    #expect(shown[2] == "crowd0.plist" && shown[3] == "crowd1.plist")
    let again = crowded().report(SweepQuestion(user: 1000), at: .zero).waiting
    #expect(shown == again.map { "\($0.name)" })
    // The oldest come first for a user without files.
    let others = crowded().report(SweepQuestion(user: 3000), at: .zero).waiting.map { "\($0.name)" }
    #expect(!others.contains { own.contains($0) })
  }
}
