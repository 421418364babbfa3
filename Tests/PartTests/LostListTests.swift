// SPDX-License-Identifier: Apache-2.0
// Lists that are over and whose file in the state folder is lost for good: users see the reason, and can remove them.

import Linux
import Record
import Steer
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct LostListTests {
  private let list = ListID(1)
  private let barn = ListReference("barn")

  /// A cancelled list with its results, whose file is gone.
  private func lose(_ bench: PeopleBench) async throws {
    let parts = bench.parts
    try await bench.begin(1)
    await bench.opened(list)
    try parts.folder(of: list).remove(ListFolder.list)
    try await parts.keeper.ask(.cancel, of: list, by: 1000)
    while await parts.keeper.lives()?[list]?.loss == nil { await Task.yield() }
    #expect(try parts.folders.done.listing() == ["barn.result.plist"])
  }

  private func reason(_ reply: ControlReply) -> String? {
    if case .failed(.notPossible(let why)) = reply { why } else { nil }
  }

  @Test func `a wait for a list whose file is lost ends with the reason`() async throws {
    try await PeopleBench.use { bench in
      try await lose(bench)
      let call = ShowOrder(list: barn, limit: 0)
      let reply = await bench.calls.stream(call, from: .owner, to: ReplyStream { _ in true })
      let why = try #require(reason(reply), "\(reply)")
      #expect(why.hasPrefix("'barn' is over, and has no copy: list.plist is missing from "))
    }
  }

  @Test func `the owner removes a list whose file is lost, with its results`() async throws {
    try await PeopleBench.use { bench in
      try await lose(bench)
      let denied = await bench.calls.handle(RemoveOrder(list: barn), from: .stranger)
      guard case .failed(.permissionDenied) = denied else {
        Issue.record("\(denied)")
        return
      }
      let reply = await bench.calls.handle(RemoveOrder(list: barn), from: .owner)
      guard reply.message(ListReply.self) != nil else {
        Issue.record("\(reply)")
        return
      }
      let parts = bench.parts
      #expect(parts.state(list) == nil && parts.index[list] == nil)
      #expect(await parts.keeper.lives()?[list] == nil)
      #expect(try parts.folders.done.listing().isEmpty && parts.folders.lists.listing().isEmpty)
      #expect(parts.health.health.lines.isEmpty)
    }
  }

  @Test(arguments: [true, false])
  func `pictures, and a list that nodes share, are not removed without their copy`(
    _ isRoll: Bool
  ) async throws {
    try await PeopleBench.use { bench in
      try await lose(bench)
      let parts = bench.parts
      var own = try #require(parts.index[list]?.terms)
      if isRoll { own.isRoll = true } else { own.origin = FileName(literal: "a") }
      let label = try ListLabel(
        SampleList { $0.terms = own }.about())
      parts.index.replace(list, label)
      let reply = await bench.calls.handle(RemoveOrder(list: barn), from: .owner)
      #expect(
        reason(reply)?.hasPrefix("the copy of list 1 is not in done yet; ") == true, "\(reply)")
      #expect(parts.index[list] != nil && parts.state(list) != nil)
      #expect(try parts.folders.lists.listing() == ["1"])
    }
  }

  @Test func `a list whose removal cannot begin goes on waiting for its copy`() async throws {
    try await PeopleBench.use { bench in
      try await lose(bench)
      let parts = bench.parts
      let place = "\(parts.scratch.path)/daemon/state/lists"
      FaultPlan.set(.init("renameat2", on: place, code: 5, isPermanent: true), for: place)
      defer { FaultPlan.set(nil, for: place) }
      let reply = await bench.calls.handle(RemoveOrder(list: barn), from: .owner)
      #expect(reason(reply)?.contains("input/output error") == true, "\(reply)")
      FaultPlan.set(nil, for: place)
      try parts.folder(of: list).put(
        ListFolder.list, String(decoding: SampleList().bytes, as: UTF8.self))
      parts.keeper.relieve()
      while await parts.keeper.lives()?[list] != nil {
        parts.keeper.relieve()
        await Task.yield()
      }
      #expect(try parts.folders.done.listing() == ["barn.plist", "barn.result.plist"])
    }
  }
}
