// SPDX-License-Identifier: Apache-2.0
// No text in a call stops the thread that answers all users, beside many lists: its processor time, whatever else the
// machine does.

import Accept
import Linux
import Record
import Steer
import Support
import Testing
import Vocabulary

@testable import darkroomd

/// One after another: they measure one thread.
@Suite(.serialized) struct CallStallTests {
  private static let home = Result { () throws(SystemError) in
    try OwnExecutor("test-calls", threads: 1)
  }

  private static let callsWithoutText: [any ControlMethod] = [
    StatusOrder(), ListsOrder(), AgedOrder(age: .zero), InboxOrder(), SettingsOrder(), WatchOrder(),
    CacheOrder(clear: false), MetricsOrder(), FlushOrder(host: nil), NodesOrder(),
    ForecastOrder(keepLists: .seconds(86_400), keepPrints: nil),
  ]

  /// As many photos as a call may name, with as many bytes as a message has.
  private func photos(_ filler: HostileText) -> [String] {
    let bytes = 60_000 / FocusOrder.mostWords
    return (0..<FocusOrder.mostWords).map { filler.text(bytes - 4) + "\($0)" }
  }

  private func calls(_ filler: HostileText) -> [any ControlMethod] {
    let text = filler.text(OutsideText.longest)
    let list = ListReference(text)
    let known = ListReference("1")
    return [
      ShowOrder(list: list), WhyOrder(list: list), PauseOrder(list: list), ResumeOrder(list: list),
      CancelOrder(list: list), SetQualityOrder(list: list, level: .utility), FocusOrder(list: list),
      UnfocusOrder(list: list, viewer: text), RetryOrder(list: list), RemoveOrder(list: list),
      SheetOrder(list: list),
      WatchOrder(list: list), FollowOrder(list: list), OpenOrder(list: list),
      StatesOrder(list: list), ColoursOrder(list: list, groups: 1),
      FindOrder(list: list, text: text), PictureOrder(list: list, photo: 1),
      RedeemOrder(token: text), FlushOrder(host: text), WhyOrder(list: known, photo: text),
      FocusOrder(list: known, photos: [text], viewer: text),
      RetryOrder(list: known, photos: [text]), FindOrder(list: known, text: text),
      FocusOrder(list: known, photos: photos(filler)),
      RetryOrder(list: known, photos: photos(filler)), DrainOrder(node: text),
    ] + Self.callsWithoutText
  }

  /// The turns of another user while the call is answered, beside 1100 lists; 0 if the answer is wrong.
  private func turns(
    during call: any ControlMethod, _ isRight: @escaping @Sendable (ControlReply) -> Bool
  ) async throws -> Int {
    let thread = try CallThread("test-lists")
    let found = EventBoard(0)
    try await PeopleBench.use { bench in
      let lists = (1...1100).map { ListID(UInt64($0)) }
      let about = try SampleList().about()
      try await bench.parts.recorder.record(lists.map { .accepted($0, about.acceptance) })
      for list in lists { bench.parts.index.add(list, try ListLabel(about)) }
      let (turns, isOver) = (EventBoard(0), EventBoard(false))
      let count = await Task(executorPreference: thread.lane(of: 1)) {
        let other = Task.detached(executorPreference: thread.lane(of: 2)) {
          while !isOver.value {
            turns.change { $0 += 1 }
            await giveWay()
          }
        }
        let before = turns.value
        let reply = await bench.calls.handle(call, from: .owner)
        let count = turns.value - before
        isOver.change { $0 = true }
        await other.value
        return isRight(reply) ? count : 0
      }.value
      found.change { $0 = count }
    }
    return found.value
  }

  @Test func `a user who asks for many lists holds up no other user until all are read`()
    async throws
  {
    let turns = try await turns(during: ListsOrder()) { reply in
      reply.message(ListsReply.self)?.lists.count == 1100
    }
    // One in each 256 lists.
    #expect(turns >= 4)
  }

  @Test func `a name that no list has is compared with the names of many lists in turns`()
    async throws
  {
    let call = WhyOrder(list: ListReference("bern"))
    let turns = try await turns(during: call) { reply in
      if case .failed(.noSuchList(_, "barn", _)) = reply { true } else { false }
    }
    #expect(turns >= 4)
  }

  @Test(arguments: HostileText.all)
  func `a call with any text takes little of the thread of the calls`(
    filler: HostileText
  ) async throws {
    let home = try Self.home.get()
    try await PeopleBench.use { bench in
      try await bench.parts.add(1)
      for number: UInt64 in 2...200 {
        let name = String(filler.text(240).map { $0 == "/" ? "a" : $0 })
        let about = try SampleList { $0.name = "\(name)\(number).plist" }.about()
        try await bench.parts.recorder.record([.accepted(ListID(number), about.acceptance)])
        bench.parts.index.add(ListID(number), try ListLabel(about))
      }
      for call in calls(filler) {
        var peer = ControlPeer.owner
        for view in [nil, filler.text(OutsideText.longest)] {
          peer.view = view
          let asked = peer
          let cost = await Task(executorPreference: home) {
            let start = ProcessorTime.ofThread
            _ = await bench.calls.handle(call, from: asked)
            return ProcessorTime.ofThread - start
          }.value
          #expect(cost < .milliseconds(50), "\(filler) in \(type(of: call).name): \(cost)")
        }
      }
    }
  }
}
