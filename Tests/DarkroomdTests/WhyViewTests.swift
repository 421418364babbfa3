// SPDX-License-Identifier: Apache-2.0
// What lists and photos wait for, and the photos that a user names.

import Catalog
import Cluster
import Linux
import Record
import Steer
import Support
import Testing
import Vocabulary

@testable import Chain
@testable import darkroomd

@Suite struct WhyViewTests {
  private let list = ListID(1)
  private let barn = ListReference("barn")

  private func why(_ bench: PeopleBench, _ photo: String? = nil) async throws -> WhyReport {
    let reply = await bench.calls.handle(
      WhyOrder(list: barn, photo: photo), from: .stranger)
    guard let report = reply.message(WhyReport.self) else { throw Unexpected(reply: reply) }
    return report
  }

  private struct Unexpected: Error { let reply: ControlReply }

  @Test func `photos of a paused list wait with it, and those that are done say so`() async throws {
    try await PeopleBench.use { bench in
      try await bench.begin(1, SampleList(count: 4))
      await bench.opened(list)
      _ = await bench.calls.handle(PauseOrder(list: barn), from: .owner)
      try await bench.parts.develop(PhotoID(list: list, number: 2), print: "Photo 2.jpg")
      let whole = try await why(bench)
      #expect(whole.wait.kind == "paused" && whole.wait.photos == 3)
      #expect(whole.groups.isEmpty)
      let one = try await why(bench, "1")
      #expect(one.wait.kind == "paused" && one.wait.number == 1 && one.wait.name == "Photo 1")
      #expect(try await why(bench, "Photo 2").wait.kind == "filtered")
    }
  }

  @Test func `a photo whose row is lost has ended, and its list was not cancelled`() async throws {
    try await PeopleBench.use { bench in
      try await bench.parts.add(1, SampleList(count: 1))
      try await bench.parts.develop(PhotoID(list: list, number: 1), print: "Photo 1.jpg")
      try await bench.parts.recorder.record([.finished(list)])
      try bench.parts.folder(of: list).remove(ListFolder.results)
      let wait = try await why(bench, "1").wait
      #expect(wait.kind == "unknown" && wait.code == "results.lost")
    }
  }

  @Test func `a list whose copy is not begun waits for its turn`() async throws {
    try await PeopleBench.use { bench in
      let list = try await bench.parts.add(9)
      try await bench.parts.recorder.record([.cancelled(list)])
      let keeper = ListKeeper(clock: bench.parts.clock, changes: bench.parts.ground.changes)
      let effects = HungReturn { _, number in number == 1 }
      for other in 1...3 as ClosedRange<UInt64> {
        keeper.begin(.init(ListID(other), .cancelled, of: 1000))
      }
      keeper.begin(.init(list, .cancelled, of: 1000))
      let lives = Task { await keeper.run(effects) }
      func kind() async throws -> String {
        try await WhyView(views: bench.views, keeper: keeper)
          .why(WhyOrder(list: barn), for: .owner).wait.kind
      }
      #expect(try await kind() == "returningTurn")
      for (held, isInLine) in [(3, true), (1, false)] {
        while effects.count < held { await Task.yield() }
        #expect(await keeper.lives()?.isWaitingForTurn(list) == isInLine)
        if !isInLine { #expect(try await kind() == "returning") }
        effects.release()
      }
      keeper.stop()
      await lives.value
    }
  }

  @Test func `photos whose host is closed wait for it, and the list says how many`() async throws {
    try await PeopleBench.use { bench in
      try await bench.begin(1, SampleList(count: 4))
      #expect(await bench.closeHost(of: list))
      let whole = try await why(bench)
      #expect(whole.wait.kind == "working")
      let counted = whole.groups.reduce(0) { $0 + $1.photos }
      #expect(counted == 4, "\(whole.groups)")
      let host = try await why(bench, "4").wait
      #expect(host.kind == "host" || host.kind == "retry", "\(host)")
      #expect(host.until > 0 && host.code == "http.503")
    }
  }

  @Test func `a list that nodes share waits for the ledger while that is in trouble`() async throws
  {
    try await PeopleBench.use { bench in
      let lost = Failure(.machine, code: "ledger.lost", reason: "the ledger does not answer")
      bench.parts.health.set(lost, for: .ledger)
      try await bench.begin(1, SampleList(count: 4))
      await bench.opened(list)
      let origin = try FrozenSettings.newOrigin()
      let shared = SampleList(count: 4) { $0.terms.kind = .entry(origin) }
      bench.parts.index.replace(list, try ListLabel(try shared.about()))
      let whole = try await why(bench).wait
      #expect(whole.kind == "ledger" && whole.photos == 4)
      #expect(whole.code == lost.code && whole.reason == lost.reason)
      #expect(try await why(bench).groups.isEmpty)
      bench.parts.health.set(nil, for: .ledger)
      #expect(try await why(bench).wait.kind == "working")
    }
  }

  @Test func `a list that nodes share waits for a node while none takes photos`() async throws {
    try await PeopleBench.use { bench in
      try await bench.begin(1, SampleList(count: 4))
      await bench.opened(list)
      let failure = Failure(.machine, code: "cluster.nodes", reason: "a is drained")
      func wait() async throws -> WaitSummary {
        try await WhyView(
          views: bench.views, keeper: bench.parts.keeper,
          shortage: ShareDesk.Silence(failure: failure, since: 5)
        ).why(WhyOrder(list: barn), for: .owner).wait
      }
      #expect(try await wait().kind == "working", "a list of this machine alone")
      let origin = try FrozenSettings.newOrigin()
      let shared = SampleList(count: 4) { $0.terms.kind = .entry(origin) }
      bench.parts.index.replace(list, try ListLabel(try shared.about()))
      let shortage = try await wait()
      #expect(shortage.kind == "nodes" && shortage.photos == 4 && shortage.since == 5)
      #expect(shortage.code == failure.code && shortage.reason == failure.reason)
      #expect(try await why(bench).wait.kind == "working")
    }
  }

  @Test func `a cluster is short of nodes if each is drained or silent, and the reason names them`()
  {
    func reason(_ nodes: (String, Int, Bool)...) -> String? {
      NodeShortage.failure(
        nodes.map { name, silence, isDraining in
          NodeFacts(
            name, silence: .seconds(silence), isDraining: isDraining, leased: 0, version: "")
        }, quiet: .seconds(20))?.reason
    }
    #expect(reason() == nil)
    #expect(reason(("a", 1, true), ("b", 20, false)) == nil)
    #expect(
      reason(("a", 1, true), ("b", 21, false))
        == "no node takes new photos: a is drained, b has not been heard for 21 s")
    let many = (1...10).map {
      NodeFacts("\($0)", silence: .zero, isDraining: true, leased: 0, version: "")
    }
    let words = NodeShortage.failure(many, quiet: .seconds(20))?.reason
    #expect(words?.hasSuffix("8 is drained, 2 more are drained or silent") == true)
  }

  @Test func `a list of this machine alone does not wait for the ledger`() async throws {
    try await PeopleBench.use { bench in
      let lost = Failure(.machine, code: "ledger.lost", reason: "the ledger does not answer")
      bench.parts.health.set(lost, for: .ledger)
      try await bench.begin(1, SampleList(count: 4))
      await bench.opened(list)
      #expect(try await why(bench).wait.kind == "working")
    }
  }

  @Test func `a list that is over, and an unknown photo, are answered with words`() async throws {
    try await PeopleBench.use { bench in
      try await bench.parts.add(1, SampleList(count: 2))
      try await bench.parts.recorder.record([.cancelled(list)])
      let whole = try await why(bench)
      #expect(whole.wait.kind == "over" && whole.groups.isEmpty && whole.wait.reason.isEmpty)
      bench.parts.health.leaveHook(
        of: list, Failure(.machine, code: "hooks.share", reason: "too many wait"))
      #expect(try await why(bench).wait.reason == "too many wait")
      #expect(try await why(bench, "1").wait.kind == "cancelled")
      let reply = await bench.calls.handle(
        WhyOrder(list: barn, photo: "9"), from: .stranger)
      guard case .failed(let error) = reply else { throw Unexpected(reply: reply) }
      #expect(error == .notPossible(why: "the list has 2 photos, so it has no photo 9"))
    }
  }

  @Test func `photos are named by numbers, ranges and names, each once`() async throws {
    try await PeopleBench.use { bench in
      try await bench.parts.add(1, SampleList(count: 30))
      let words = PhotoWords(try bench.parts.lists.look(list).catalog)
      #expect(try words.numbers(["7", "3-5", "Photo 30", "4"], most: 6) == [7, 3, 4, 5, 30])
      #expect(try words.numbers(["5-3", "Photo 1", "Photo 1"], most: 6) == [3, 4, 5, 1])
      #expect(try words.numbers([], most: 6).isEmpty)
      for word in ["0", "31", "30-31", "99999999999", "Photo", "1-7", "3-", "-", ""] {
        #expect(throws: ControlError.self, "\(word)") { try words.numbers([word], most: 6) }
      }
    }
  }

  @Test func `a focus is for the owner and root, and only at work`() async throws {
    try await PeopleBench.use { bench in
      try await bench.begin(1, SampleList(count: 4))
      // Now the chains have it.
      #expect(await bench.closeHost(of: list))
      let order = FocusOrder(list: barn, photos: ["3"], seconds: 30)
      guard case .failed(.permissionDenied) = await bench.calls.handle(order, from: .stranger)
      else {
        Issue.record("a stranger may focus")
        return
      }
      let reply = await bench.calls.handle(order, from: .owner)
      guard let report = reply.message(FocusReport.self) else { throw Unexpected(reply: reply) }
      #expect(report.photos == 1 && report.left == 1)
      let photo = PhotoID(list: list, number: 3)
      #expect(bench.views.chains.isFocused(photo))
      _ = await bench.calls.handle(UnfocusOrder(list: barn), from: .root)
      #expect(bench.views.chains.isFocused(photo), "it is another viewer's")
      _ = await bench.calls.handle(UnfocusOrder(list: barn), from: .owner)
      #expect(!bench.views.chains.isFocused(photo))
    }
  }
}
