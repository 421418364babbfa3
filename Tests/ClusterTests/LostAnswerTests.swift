// SPDX-License-Identifier: Apache-2.0
// Conversations with PostgreSQL that break: each call of the office is cut after every message and within each, in the
// request and in the answer, and repeated as a node does it. The ledger then has what the model has after one call.
// `LOSSES=long` cuts after every byte.

import Cluster
import Foundation
import Support
import Testing
import Vocabulary

@Suite(.enabled("PostgreSQL is not installed") { PostgresServer.isInstalled })
struct LostAnswerTests {
  @Test(arguments: CutCall.allCases)
  func `a call that is cut anywhere, and repeated, has happened once`(
    _ call: CutCall
  ) async throws {
    try await CutBench.use(call, .connected) { bench in
      // Prepared by the first one, the statements of the second one are short.
      for _ in 1...2 { try await bench.measure() }
      try await bench.cutEverywhere()
    }
  }

  @Test(arguments: [CutCall.submit, .turn])
  func `a node that is cut anywhere while it connects goes on as the same node`(
    _ call: CutCall
  ) async throws {
    try await CutBench.use(call, .newcomer) { bench in
      try await bench.measure()
      try await bench.cutEverywhere()
    }
  }

  @Test func `a report that comes late, when the node has more to report, is not taken for that`()
    async throws
  {
    try await CutBench.use(.report, .connected) { bench in
      for _ in 1...2 { try await bench.measure() }
      let node = try await bench.begin()
      let share = bench.scene.shares[0]
      try await bench.cutter.keep(request: try #require(bench.ends[.request]?.last))
      let early = share.report([2, 3], sequence: 2, isLast: false)
      #expect(await failure { _ = try await node.report(early) } != nil)
      // The node asks for what the ledger has. Another photo ends meanwhile.
      #expect(try await node.pulse().leases.first?.sequence == 1)
      try await bench.cutter.deliver()
      let more = share.report([2, 3, 4], sequence: 2, isLast: false)
      #expect(try await node.report(more) == .fenced)
      let known = try #require(try await node.pulse().leases.first)
      #expect(known.sequence == 2 && known.share.done.photos == 4)
    }
  }
}

/// The calls of a node, in the order in which a list needs them.
enum CutCall: String, CaseIterable {
  case submit, twin, revise, lease, report, lastReport, turn, giveBack, pulse, pause, cancel
  case quality, focus, leaseAhead, drain, closed, returned, retire, retired
}

/// Lists in every state, and two nodes; a call is made by node `a`.
struct CutScene {
  let shares: [Share]
  let work: LedgerList
  let waiting: LedgerList
  let over: LedgerList
  let old: LedgerList

  init(for call: CutCall, in world: any OfficeWorld, _ a: any ListOffice, _ b: any ListOffice)
    async throws
  {
    _ = try await b.pulse()
    old = try await Self.finished("old", a)
    try await a.returned(old)
    over = try await Self.finished("over", a)
    try await world.pass(.seconds(20))
    for node in [a, b] { _ = try await node.pulse() }
    work = try await a.submit(.sample("summer", photos: 16, origin: "3")).list
    shares = try await a.lease(16, largest: 8)
    _ = try await a.report(shares[0].report([0, 1], isLast: false))
    waiting = try await a.submit(.sample("winter", photos: 30, owner: "ben", origin: "4")).list
    if call == .leaseAhead {
      _ = try await b.focus(
        LedgerFocus(waiting, viewer: "0", photos: [9, 10], time: .seconds(60)))
    }
    if call == .retired { _ = try await a.retire(olderThan: .seconds(10)) }
  }

  private static func finished(_ name: String, _ a: any ListOffice) async throws -> LedgerList {
    let list = try await a.submit(.sample(name, photos: 8, origin: name)).list
    for share in try await a.lease(8) { _ = try await a.report(share.report(failed: [3])) }
    return list
  }

  /// The last ones of the list.
  private var reports: [ShareReport] {
    [shares[0].report(Array(2...7), sequence: 2, isLast: true), shares[1].report()]
  }

  /// Makes the call; its answer.
  func make(_ call: CutCall, from a: any ListOffice) async throws -> String {
    switch call {
    case .submit: "\(try await a.submit(.sample("spring", origin: "5")))"
    case .twin: "\(try await a.submit(.sample("summer", photos: 16, origin: "6")))"
    case .revise: "\(try await a.submit(.sample("summer", bytes: "2", origin: "7")))"
    case .lease: "\(try await a.lease(8, largest: 8))"
    case .report:
      "\(try await a.report(shares[0].report([2, 3], sequence: 2, isLast: false)))"
    case .lastReport: "\(try await a.report(reports[0]))"
    case .turn: "\(try await a.turn(reports, lease: LeaseWish(photos: 8, largest: 8)))"
    case .giveBack:
      "\(try await a.giveBack(shares[1].id, after: .seconds(10), waits: [0, 1]))"
    case .pulse: "\(try await a.pulse())"
    case .pause: "\(try await a.order(.pause, of: work))"
    case .cancel: "\(try await a.order(.cancel, of: work))"
    case .quality: "\(try await a.order(.quality(.background), of: work))"
    case .focus:
      "\(try await a.focus(LedgerFocus(waiting, viewer: "0", photos: [9, 10], time: .seconds(60))))"
    case .leaseAhead: "\(try await a.leaseAhead(1))"
    case .drain: "\(try await a.drain("b", true))"
    case .closed: "\(try await a.closed())"
    case .returned: "\(try await a.returned(over))"
    case .retire: "\(try await a.retire(olderThan: .seconds(10)))"
    case .retired: "\(try await a.retired(old))"
    }
  }

  /// After a lost answer. A node asks which leases it has before it wants more.
  func repeated(_ call: CutCall, from a: any ListOffice) async throws -> String {
    guard call == .lease || call == .leaseAhead || call == .turn else {
      return try await make(call, from: a)
    }
    let new = try await a.pulse().leases.map(\.share).filter { $0.id.list == waiting }
    if new.isEmpty { return try await make(call, from: a) }
    if call != .turn { return "\(new)" }
    return "\(Turn(verdicts: try await a.turn(reports, lease: nil).verdicts, shares: new))"
  }

  /// Everything that can be seen, and what another node gets next.
  func view(_ a: any ListOffice, _ b: any ListOffice) async throws -> [String] {
    var view: [String] = []
    for node in [a, b] {
      view += try await node.pulse().leases.map { "\($0)" }
      view.append("closed \(try await node.closed())")
    }
    for list in try await b.lists(after: nil, most: 99, isOpen: false) {
      view.append("\(list)")
      view += try await b.outcomes(of: list.list, in: 1...99).map { "\($0)" }
      view += try await b.focuses(on: [list.list]).map { "\($0)" }
    }
    view += try await b.nodes().map { "\($0.name) \($0.isDraining) \($0.leased)" }
    view += try await b.lease(8, largest: 8).map { "\($0)" }
    return view
  }
}

/// One call of node `a`, over and over, on a ledger that is as it was before.
final class CutBench {
  enum Caller { case connected, newcomer }

  let cutter: PostgresCutter
  private(set) var scene: CutScene
  /// The ends of the call's messages.
  private(set) var ends: [PostgresCutter.Direction: [Int]] = [:]
  private let call: CutCall
  private let caller: Caller
  private let world: PostgresWorld
  private var node: PostgresOffice
  /// The nodes on connections that are never cut.
  private let a: PostgresOffice
  private let b: PostgresOffice
  /// The model's.
  private let answers: Set<String>
  private let expected: [String]

  static func use(
    _ call: CutCall, _ caller: Caller, _ body: (CutBench) async throws -> Void
  ) async throws {
    let world = try await PostgresWorld()
    let cutter = try PostgresCutter(before: world.place)
    let result: Result<Void, any Error>
    do {
      result = .success(try await body(CutBench(call, caller, world, cutter)))
    } catch { result = .failure(error) }
    await world.close()
    cutter.stop()
    try result.get()
  }

  private init(
    _ call: CutCall, _ caller: Caller, _ world: PostgresWorld, _ cutter: PostgresCutter
  ) async throws {
    (self.call, self.caller, self.world, self.cutter) = (call, caller, world, cutter)
    node = try world.office("a", through: cutter)
    (a, b) = (try world.office("a", through: nil), try world.office("b", through: nil))
    scene = try await CutScene(for: call, in: world, a, b)
    let model = ModelWorld(silence: silence)
    let (first, second) = (try model.office("a"), try model.office("b"))
    let own = try await CutScene(for: call, in: model, first, second)
    let answer = try await own.make(call, from: first)
    answers = [answer, try await own.repeated(call, from: first)]
    expected = try await own.view(first, second)
  }

  /// Makes the scene. The node that is to call; its bytes are counted.
  func begin() async throws -> PostgresOffice {
    try await world.clear()
    scene = try await CutScene(for: call, in: world, a, b)
    switch caller {
    case .connected:
      // The bells of the scene come before the answer.
      _ = try await node.pulse()
    case .newcomer:
      node.close()
      node = try world.office("a", through: cutter)
    }
    try await cutter.count()
    return node
  }

  /// Makes the call without a cut.
  func measure() async throws {
    let node = try await begin()
    #expect(answers.contains(try await scene.make(call, from: node)))
    ends = try await cutter.ends()
    try await check("without a cut")
  }

  func cutEverywhere() async throws {
    var cuts = 0
    for direction in PostgresCutter.Direction.allCases {
      for place in places(direction) where try await cut(direction, after: place) { cuts += 1 }
    }
    print("cut conversations: \(call) \(caller): \(cuts)")
    #expect(cuts > 8, "\(call)")
  }

  /// Before the first byte, at the end of each message and, of a node that is connected, within it, but not after a
  /// whole answer.
  private func places(_ direction: PostgresCutter.Direction) -> [Int] {
    let ends = ends[direction] ?? []
    let last = (ends.last ?? 0) - (direction == .answer ? 1 : 0)
    if ProcessInfo.processInfo.environment["LOSSES"] == "long" { return Array(0...last) }
    let within = caller == .connected ? ends.map { $0 - 2 } : []
    return Set([0] + within + ends).filter { 0...last ~= $0 }.sorted()
  }

  /// False if the call was answered: bells have moved the place.
  private func cut(
    _ direction: PostgresCutter.Direction, after place: Int
  ) async throws -> Bool {
    let node = try await begin()
    try await cutter.cut(direction, after: place)
    var (answer, isCut) = ("", false)
    do { answer = try await scene.make(call, from: node) } catch {
      isCut = true
      try await cutter.quiet()
      if call == .submit || call == .revise { try await world.closeGap() }
      answer = try await scene.repeated(call, from: node)
    }
    let words = "cut in its \(direction) after \(place) bytes"
    #expect(answers.contains(answer), "\(call) \(words): \(answer)")
    try await check(words)
    return isCut
  }

  private func check(_ words: String) async throws {
    let view = try await scene.view(a, b)
    let others = view.filter { !expected.contains($0) } + expected.filter { !view.contains($0) }
    #expect(view == expected, "\(call) \(words): \(others)")
  }
}
