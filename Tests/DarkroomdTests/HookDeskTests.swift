// SPDX-License-Identifier: Apache-2.0
// Which ends of lists and which rejections order a hook, and with which facts.

import Files
import Linux
import Record
import Report
import Return
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct HookDeskTests {
  private let list = ListID(1)

  private static func settings(_ finished: String?, _ failed: String?) -> (inout Settings) -> Void {
    { settings in
      settings.hooks.onFinished = finished
      settings.hooks.onFailed = failed
    }
  }

  /// A list of two photos; the second one fails.
  private func finish(_ bench: PartBench) async throws {
    try await bench.add(1, SampleList(count: 2))
    try await bench.develop(PhotoID(list: list, number: 1), print: "Photo 1.jpg")
    let row = ResultRow(photo: 2, state: .failed, attempts: 1, code: "http.404", reason: "gone")
    let photo = PhotoID(list: list, number: 2)
    try await bench.recorder.record(
      [.failed(photo, .download, code: "http.404", attempt: 1)], after: [.row(list, row)])
    try await bench.recorder.record([.finished(list)])
  }

  private func environments(_ bench: PartBench) throws -> [[String]] {
    let outbox = bench.desk.outbox
    return try outbox.keys().compactMap { try outbox.order($0) }
      .map { $0.environment.map { String(decoding: $0, as: UTF8.self) } }
  }

  @Test func `a finished list with a failed photo orders both hooks, with all facts`() async throws
  {
    try await PartBench.use(settings: Self.settings("/bin/a", "/bin/b")) { bench in
      try await finish(bench)
      #expect(await bench.work.giveBack(list) == nil)
      let places = bench.ground.places
      let facts = [
        "DARKROOM_LIST_ID=1", "DARKROOM_LIST_NAME=barn", "DARKROOM_OWNER=1000", "DARKROOM_TOTAL=2",
        "DARKROOM_FILTERED=1", "DARKROOM_FAILED=1", "DARKROOM_PRINTS=\(places.prints)/barn",
        "DARKROOM_RESULTS=\(places.done)/barn.result.plist",
        "DARKROOM_RETRY=\(places.failed)/barn.retry.plist",
      ]
      #expect(
        try environments(bench) == [
          ["DARKROOM_EVENT=finished"] + facts, ["DARKROOM_EVENT=failed"] + facts,
        ])
    }
  }

  @Test(
    arguments: [(nil, "/bin/b", ["failed"]), ("/bin/a", nil, ["finished"]), (nil, nil, [])]
      as [(String?, String?, [String])])
  func `only programs that are set are ordered`(
    finished: String?, failed: String?, events: [String]
  ) async throws {
    try await PartBench.use(settings: Self.settings(finished, failed)) { bench in
      try await finish(bench)
      #expect(await bench.work.giveBack(list) == nil)
      #expect(try bench.desk.outbox.keys().map(\.event.rawValue) == events)
      bench.desk.rejected(
        ListID(2), name: FileName(literal: "x.plist"), owner: 7, .cancelled)
      #expect(try bench.desk.outbox.keys().count == events.count + (failed == nil ? 0 : 1))
    }
  }

  @Test func `a list that ends well has not failed, and a cancelled list orders nothing`()
    async throws
  {
    try await PartBench.use(settings: Self.settings("/bin/a", "/bin/b")) { bench in
      try await bench.add(1, SampleList(count: 1))
      try await bench.develop(PhotoID(list: list, number: 1), print: "Photo 1.jpg")
      try await bench.recorder.record([.finished(list)])
      #expect(await bench.work.giveBack(list) == nil)
      #expect(try bench.desk.outbox.keys().map(\.event) == [.finished])
      try await bench.add(2, SampleList(count: 1))
      try await bench.recorder.record([.cancelled(ListID(2))])
      #expect(await bench.work.giveBack(ListID(2)) == nil)
      #expect(try bench.desk.outbox.keys().count == 1)
    }
  }

  @Test func `a list whose files are gone orders its hook without results`() async throws {
    try await PartBench.use(settings: Self.settings("/bin/a", nil)) { bench in
      try await bench.add(1, SampleList(count: 1))
      try await bench.develop(PhotoID(list: list, number: 1), print: "Photo 1.jpg")
      try await bench.recorder.record([.finished(list)])
      try bench.folders.lists.removeTree(FileName(literal: "1"))
      #expect(await bench.work.giveBack(list)?.code == "list.gone")
      let environment = try #require(try environments(bench).first)
      #expect(environment.contains("DARKROOM_FILTERED=1"))
      #expect(!environment.contains { $0.hasPrefix("DARKROOM_RESULTS=") })
    }
  }

  @Test func `a rejected file is ordered with its name, its owner and the reason`() async throws {
    try await PartBench.use(settings: Self.settings(nil, "/bin/b")) { bench in
      let failure = Failure(
        .final, code: "list.form", reason: "line 1 is\nno list", advice: "Correct it")
      try await bench.intake.reject(
        list, name: FileName(literal: "x.plist"), owner: 1000, failure)
      #expect(
        try environments(bench) == [
          [
            "DARKROOM_EVENT=rejected", "DARKROOM_LIST_ID=1", "DARKROOM_LIST_NAME=x.plist",
            "DARKROOM_OWNER=1000", "DARKROOM_REASON=line 1 is\\nno list. Correct it",
          ]
        ])
    }
  }

  @Test func `a full disk makes a list wait, and does not make a rejection wait`() async throws {
    try await PartBench.use(settings: Self.settings("/bin/a", "/bin/b")) { bench in
      try await finish(bench)
      let path = "\(bench.ground.places.state)/hooks"
      FaultPlan.set(.init("pwrite", on: path, code: 28, isPermanent: true), for: bench.scratch.path)
      defer { FaultPlan.set(nil, for: bench.scratch.path) }
      #expect(await bench.work.giveBack(list)?.code == "disk.full")
      try await bench.intake.reject(
        ListID(2), name: FileName(literal: "x.plist"), owner: 1000, .cancelled)
      #expect(bench.health.health[.hookOrders]?.code == "disk.full")
      #expect(bench.told.holds("no more hooks are ordered until it clears"))
      FaultPlan.set(nil, for: bench.scratch.path)
      #expect(await bench.work.giveBack(list) == nil)
      #expect(try bench.desk.outbox.keys().count == 2)
      #expect(bench.health.health[.hookOrders] == nil)
    }
  }

  @Test func `a full outbox is one trouble, and no list waits for it`() async throws {
    try await PartBench.use(settings: Self.settings("/bin/a", "/bin/b")) { bench in
      for number in 1...UInt64(HookOutbox.most) {
        let key = HookOrder.Key(.finished, of: ListID(number), at: 1)
        try bench.folders.hooks.put(key.name, "")
      }
      try await finish(bench)
      #expect(await bench.work.giveBack(list) == nil)
      #expect(bench.health.health[.hookOrders]?.code == "hooks.full")
      #expect(bench.told.all().count { $0.contains("10000 orders for hooks wait already") } == 1)
    }
  }

  @Test(.enabled(if: ThisProcess.user != 1000, "the daemon's user has no share"))
  func `a user with a full share is refused more, which is no trouble of the others`() async throws
  {
    try await PartBench.use(settings: Self.settings("/bin/a", nil)) { bench in
      for number in 1...UInt64(HookOutbox.share) {
        var order = HookOrder(HookOrder.Key(.finished, of: ListID(number), at: 1))
        order.set(.owner, "1000")
        try bench.folders.hooks.put(order.key.name, order.text)
      }
      try await finish(bench)
      #expect(await bench.work.giveBack(list) == nil)
      #expect(try bench.desk.outbox.keys().count == HookOutbox.share)
      #expect(bench.health.health[.hookOrders] == nil)
      let words = "1250 orders for hooks of the list's owner wait already"
      #expect(bench.told.holds("Left out the hook /bin/a for list 'barn': \(words)"))
      let counts = bench.ground.reporter.counts
      #expect(counts[.hookLeftOut] == 1 && counts[.hookFailed] == 0)
      #expect(bench.health.leftHook(of: list)?.reason == words)
    }
  }
}
