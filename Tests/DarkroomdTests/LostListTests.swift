// SPDX-License-Identifier: Apache-2.0
// Lists that are over and whose file in the state folder is lost for good: users see the reason, and can remove them.

import Files
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

  @Test(arguments: [false, true])
  func `a list whose photos cannot be read is removed, and its pictures come back before`(
    hasPictures: Bool
  ) async throws {
    try await PeopleBench.use { bench in
      let parts = bench.parts
      try await bench.begin(1)
      await bench.opened(list)
      if hasPictures { try parts.folder(of: list).put(ListFolder.picture(1), "a picture") }
      let place = "\(parts.scratch.path)/daemon/state/lists/1"
      FaultPlan.set(
        .init("openat", on: "\(place)/catalog", code: 5, isPermanent: true), for: place)
      defer { FaultPlan.set(nil, for: place) }
      parts.lists.close(list)
      try await parts.keeper.ask(.cancel, of: list, by: 1000)
      while await parts.keeper.lives()?[list]?.loss == nil { await Task.yield() }
      // The next attempt may succeed.
      #expect(await parts.keeper.lives()?[list]?.isSettled == false)
      parts.clock.advance(by: .seconds(5))
      while await parts.keeper.lives()?[list]?.isSettled != true { await Task.yield() }
      #expect(try parts.folders.done.listing().isEmpty)
      let wait = await bench.calls.stream(
        ShowOrder(list: barn, limit: 0), from: .owner, to: ReplyStream { _ in true })
      #expect(reason(wait)?.hasPrefix("'barn' is over, and has no copy: ") == true, "\(wait)")
      let reply = await bench.calls.handle(RemoveOrder(list: barn), from: .owner)
      #expect(reason(reply) == nil && parts.state(list) == nil, "\(reply)")
      #expect(try parts.folders.lists.listing().isEmpty)
      #expect(try parts.folders.failed.listing() == (hasPictures ? ["list-1"] : []))
      let back = try parts.folders.failed.folder(ifThere: FileName(literal: "list-1"))
      #expect(try back?.text("picture-1") == (hasPictures ? "a picture" : nil))
    }
  }

  @Test func `a list without results goes only if it is named`() async throws {
    try await PeopleBench.use { bench in
      let parts = bench.parts
      try await bench.begin(1)
      await bench.opened(list)
      let place = "\(parts.scratch.path)/daemon/state/lists/1"
      FaultPlan.set(
        .init("openat", on: "\(place)/catalog", code: 5, isPermanent: true), for: place)
      defer { FaultPlan.set(nil, for: place) }
      parts.lists.close(list)
      try await parts.keeper.ask(.cancel, of: list, by: 1000)
      while await parts.keeper.lives()?[list]?.loss == nil { await Task.yield() }
      try await parts.add(2)
      try await parts.recorder.record([.cancelled(ListID(2))])
      try ListMarks.noteReturn(in: parts.folder(of: ListID(2)))
      parts.recorder.archived(ListID(2))
      // As `prune` asks, and with a later list.
      for call in [
        RemoveOrder(list: ListReference("1"), spare: true), RemoveOrder(list: ListReference("2")),
      ] {
        let reply = await bench.calls.handle(call, from: .owner)
        #expect(reason(reply) == "list 1 has no results yet; remove it by its number first")
        #expect(parts.state(list) == .cancelled && parts.state(ListID(2)) == .cancelled)
      }
      for number in 1...2 as ClosedRange<UInt64> {
        let call = RemoveOrder(list: ListReference("\(number)"))
        let reply = await bench.calls.handle(call, from: .owner)
        #expect(reason(reply) == nil && parts.state(ListID(number)) == nil, "\(reply)")
      }
      #expect(try parts.folders.lists.listing().isEmpty)
    }
  }

  @Test func `a list of pictures whose removal cannot begin goes on waiting for its results`()
    async throws
  {
    try await PeopleBench.use { bench in
      let parts = bench.parts
      try await bench.begin(1)
      await bench.opened(list)
      try parts.folder(of: list).put(ListFolder.picture(1), "a picture")
      let place = "\(parts.scratch.path)/daemon/state/lists"
      FaultPlan.set(
        .init("openat", on: "\(place)/1/catalog", code: 5, isPermanent: true), for: place)
      defer { for owner in [place, "\(place) names"] { FaultPlan.set(nil, for: owner) } }
      parts.lists.close(list)
      try await parts.keeper.ask(.cancel, of: list, by: 1000)
      FaultPlan.set(
        .init("renameat2", on: place, code: 5, isPermanent: true), for: "\(place) names")
      for _ in 0..<2 {
        while await parts.keeper.lives()?[list]?.loss == nil { await Task.yield() }
        let reply = await bench.calls.handle(RemoveOrder(list: barn), from: .owner)
        #expect(reason(reply)?.contains("input/output error") == true, "\(reply)")
        #expect(try parts.folders.failed.listing() == ["list-1"])
        #expect(try !ListMarks(of: parts.folder(of: list)).isReturned)
      }
      while await parts.keeper.lives()?[list]?.loss == nil { await Task.yield() }
      for owner in [place, "\(place) names"] { FaultPlan.set(nil, for: owner) }
      while await parts.keeper.lives()?[list] != nil {
        parts.keeper.relieve()
        await Task.yield()
      }
      #expect(try parts.folders.done.listing() == ["barn.plist", "barn.result.plist"])
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

  // MARK: a folder that was removed by hand

  /// A finished list with a print, whose folder was removed while it was at work.
  private func loseFolder(_ bench: PeopleBench) async throws {
    let parts = bench.parts
    try await bench.begin(1)
    await bench.opened(list)
    try await parts.develop(PhotoID(list: list, number: 1), print: "Barn.jpg")
    try parts.folders.lists.removeFlat(ListFolder.name(list))
    parts.keeper.happened(.photosDone, to: list)
    while await parts.keeper.lives()?[list] != nil { await Task.yield() }
    #expect(parts.state(list) == .finished)
  }

  @Test func `a list whose folder is gone is never told as done`() async throws {
    try await PeopleBench.use { bench in
      try await loseFolder(bench)
      let place = "\(bench.parts.scratch.path)/daemon/state/lists/1"
      let loss = "the folder of list 1, \(place), is missing"
      #expect(bench.parts.told.holds(loss))
      let call = ShowOrder(list: barn, limit: 0)
      let reply = await bench.calls.stream(call, from: .owner, to: ReplyStream { _ in true })
      #expect(reason(reply) == "'barn' is over, and is lost: \(loss)", "\(reply)")
      let why = await bench.calls.handle(WhyOrder(list: barn), from: .owner)
      let wait = try #require(why.message(WhyReport.self)).wait
      #expect(wait.kind == "lost" && wait.code == "list.gone" && wait.reason == loss)
    }
  }

  @Test(arguments: [false, true])
  func `a list whose folder is gone is removed, and its owner is told what stays`(
    isNameKnown: Bool
  ) async throws {
    try await PeopleBench.use { bench in
      try await loseFolder(bench)
      let parts = bench.parts
      // As after a restart.
      if !isNameKnown { parts.index.forget(list) }
      let call = RemoveOrder(list: ListReference("1"))
      let reply = await bench.calls.handle(call, from: .owner)
      let rest = try #require(reply.message(ListReply.self)?.rest, "\(reply)")
      let prints = isNameKnown ? "" : "its prints and "
      #expect(
        rest.hasSuffix(
          "/1, is missing, so \(prints)its files in done and failed, if there are any, stay"))
      #expect(parts.state(list) == nil && parts.index[list] == nil)
      #expect(try parts.folders.prints.listing() == (isNameKnown ? [] : ["barn"]))
      #expect(parts.told.holds("Removed no prints of list 1: ") != isNameKnown)
      #expect(parts.health.health.lines.isEmpty)
    }
  }

  @Test func `a list that is whole leaves nothing when it is removed`() async throws {
    try await PeopleBench.use { bench in
      try await bench.parts.add(1)
      try await bench.parts.recorder.record([.cancelled(list)])
      try ListMarks.noteReturn(in: bench.parts.folder(of: list))
      bench.parts.recorder.archived(list)
      let reply = await bench.calls.handle(RemoveOrder(list: barn), from: .owner)
      #expect(reply.message(ListReply.self).map { $0.rest == nil } == true, "\(reply)")
    }
  }
}
