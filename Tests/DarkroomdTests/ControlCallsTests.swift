// SPDX-License-Identifier: Apache-2.0
// The calls of people: rights, answers, and streams that end with their list.

import Accept
import Chain
import Files
import Linux
import Record
import Steer
import Support
import Synchronization
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct ControlCallsTests {
  private let list = ListID(1)
  private let barn = ListReference("barn")

  private struct Unexpected: Error { let reply: ControlReply }

  private func state(_ reply: ControlReply) -> String? {
    reply.message(ListReply.self)?.list.state
  }

  private func error(_ reply: ControlReply) -> ControlError? {
    if case .failed(let error) = reply { error } else { nil }
  }

  private func isDenied(_ reply: ControlReply) -> Bool {
    if case .permissionDenied = error(reply) { true } else { false }
  }

  private func isAnswer<Method: ControlMethod>(_ report: any MessageValue, to call: Method) -> Bool
  {
    report is Method.Answer
  }

  private func read<Message: MessageValue>(_ message: Message) throws -> any MessageValue {
    try Message(message.object)
  }

  @Test func `each method of the interface has a handler, and no other has one`() {
    let methods = ControlInterface.methods.map { ObjectIdentifier($0) }
    #expect(Set(methods) == Set(CallTable.all.rows.keys))
    #expect(Set(methods).count == methods.count)
  }

  // MARK: reading

  @Test func `each call that reads is answered by its report, for everyone`() async throws {
    try await PeopleBench.use { bench in
      try await bench.parts.add(1)
      let calls: [any ControlMethod] = [
        StatusOrder(), ListsOrder(), InboxOrder(), ShowOrder(list: barn), WatchOrder(),
        CacheOrder(clear: false), FollowOrder(), FollowOrder(list: barn, since: 0),
      ]
      for call in calls {
        let reply = await bench.calls.handle(call, from: .stranger)
        guard case .answer(let report) = reply else {
          Issue.record("\(call): \(reply)")
          continue
        }
        let (isOfMethod, again) = (isAnswer(report, to: call), try read(report))
        #expect(isOfMethod && again.object == report.object)
      }
    }
  }

  @Test func `a follower gets each recorded change of its list once, and can continue`()
    async throws
  {
    try await PeopleBench.use { bench in
      try await bench.parts.add(1)
      let start = bench.parts.recorder.tail.last
      func steps(since: UInt64) async throws -> FollowReport {
        let order = FollowOrder(list: barn, since: since)
        let reply = await bench.calls.handle(order, from: .stranger)
        guard let report = reply.message(FollowReport.self) else { throw Unexpected(reply: reply) }
        return report
      }
      #expect(try await steps(since: start) == FollowReport(last: start))
      try await bench.parts.recorder.record([.paused(list)])
      try await bench.parts.recorder.record([.resumed(list)])
      let report = try await steps(since: start)
      #expect(report.steps.map(\.state) == ["paused", "running"] && !report.missed)
      #expect(report.steps.map(\.record) == [start + 1, start + 2] && report.last == start + 2)
      #expect(try await steps(since: report.last).steps.isEmpty)
      #expect(try await steps(since: report.last + 9).missed)
      // The stream ends with the list, and has its last step.
      let seen = Mutex<[String]>([])
      let (reports, isOver) = (EventBoard(0), EventBoard(false))
      let order = FollowOrder(list: barn, since: report.last)
      async let reply = {
        let caller = ReplyStream { reply in
          guard let report = reply.message(FollowReport.self) else { return false }
          seen.withLock { $0 += report.steps.map(\.state) }
          reports.change { $0 += 1 }
          return true
        }
        let end = await bench.calls.stream(order, from: .stranger, to: caller)
        isOver.change { $0 = true }
        return end
      }()
      #expect(await reports.wait { $0 >= 1 } && !isOver.value)
      try await bench.parts.recorder.record([.cancelled(list)])
      bench.parts.narrator.changed()
      #expect(try await tick(bench, until: isOver))
      let last = try #require(await reply.message(FollowReport.self))
      #expect(seen.withLock { $0 } + last.steps.map(\.state) == ["cancelled"])
    }
  }

  @Test func `the status is answered while the labels of the start are read; a list is not`()
    async throws
  {
    try await PartBench.use { parts in
      try await parts.add(1)
      // Only a read from the folder brings the label back.
      parts.index.forget(list)
      try await PeopleBench.useUnread(parts) { bench in
        let reply = await bench.calls.handle(StatusOrder(), from: .stranger)
        guard reply.message(StatusReply.self) != nil else {
          Issue.record("\(reply)")
          return
        }
        let isAsking = EventBoard(false)
        async let lists = {
          isAsking.change { $0 = true }
          return await bench.calls.handle(ListsOrder(), from: .stranger)
        }()
        #expect(await isAsking.wait { $0 })
        parts.index.load([list], from: parts.folders.lists)
        let answer = await lists
        #expect(answer.message(ListsReply.self)?.lists.map(\.name) == ["barn"])
      }
    }
  }

  // MARK: changes

  @Test func `a change by the owner is durable when it is answered`() async throws {
    try await PeopleBench.use { bench in
      try await bench.begin(1)
      let (calls, parts) = (bench.calls, bench.parts)
      #expect(state(await calls.handle(PauseOrder(list: barn), from: .owner)) == "paused")
      #expect(parts.state(list) == .paused)
      #expect(parts.recorder.ledger { $0[list]?.halter } == ControlPeer.owner.user)
      #expect(state(await calls.handle(ResumeOrder(list: barn), from: .owner)) == "accepted")
      #expect(parts.recorder.ledger { $0[list]?.halter } == nil)
      let answer = await calls.handle(SetQualityOrder(list: barn, level: .background), from: .owner)
      #expect(answer.message(ListReply.self)?.list.serviceClass == "background")
      #expect(
        parts.recorder.ledger { $0[list]?.acceptance.serviceClass } == .background)
      let reply = await calls.handle(CancelOrder(list: barn), from: .root)
      let end = try #require(reply.message(ListReply.self)?.list)
      #expect(end.state == "cancelled" && end.halter == 0 && parts.state(list) == .cancelled)
    }
  }

  @Test func `only the owner and root change a list`() async throws {
    try await PeopleBench.use { bench in
      try await bench.begin(1)
      for call in [
        PauseOrder(list: barn), ResumeOrder(list: barn), CancelOrder(list: barn),
        RetryOrder(list: barn),
        SetQualityOrder(list: barn, level: .utility), RemoveOrder(list: barn),
      ] as [any ControlMethod] {
        #expect(isDenied(await bench.calls.handle(call, from: .stranger)))
      }
      #expect(bench.parts.state(list) == .accepted)
      #expect(state(await bench.calls.handle(CancelOrder(list: barn), from: .root)) == "cancelled")
    }
  }

  @Test func `a list that is unknown, or over, is not changed`() async throws {
    try await PeopleBench.use { bench in
      let missing = await bench.calls.handle(PauseOrder(list: barn), from: .root)
      #expect(error(missing) == .noSuchList(name: "barn"))
      try await bench.parts.add(1)
      try await bench.parts.recorder.record([.cancelled(list)])
      let over = await bench.calls.handle(PauseOrder(list: barn), from: .root)
      #expect(error(over) == .notPossible(why: OpenList.over.reason))
    }
  }

  @Test(arguments: ["BARN", "b*", "bar?"])
  func `a list is removed by its exact name or its number alone`(word: String) async throws {
    try await PeopleBench.use { bench in
      try await bench.parts.add(1)
      try await bench.parts.recorder.record([.cancelled(list)])
      let guess = await bench.calls.handle(RemoveOrder(list: ListReference(word)), from: .root)
      #expect(error(guess) == .noSuchList(name: word, near: "barn"))
      #expect(bench.parts.state(list) == .cancelled)
      // The list has not been returned.
      let exact = await bench.calls.handle(RemoveOrder(list: barn), from: .root)
      #expect(
        error(exact)
          == .notPossible(
            why: "the copy of list 1 is not in done yet; 'why' tells what it waits for"))
    }
  }

  @Test func `a retry is a new list of the same name, which takes over`() async throws {
    try await PeopleBench.use { bench in
      let parts = bench.parts
      try await parts.add(1, .marked())
      try await parts.recorder.record([.cancelled(list)])
      let reply = await bench.calls.handle(RetryOrder(list: barn), from: .owner)
      let new = try #require(reply.message(ListReply.self)?.list, "\(reply)")
      #expect(new.name == "barn" && new.id == 2 && new.total == 1 && new.state == "accepted")
      #expect(parts.state(ListID(2)) == .accepted)
      let (old, label) = (try #require(parts.index[list]), try #require(parts.index[ListID(2)]))
      #expect(label.terms.revises == list && label.terms.prints == old.terms.prints)
      #expect(label.terms.filter == old.terms.filter && label.owner == old.owner)
      // Nothing was dropped, so nothing has left the inbox.
      #expect(parts.departures.all.isEmpty)
      // The first one is over, and another has taken over from it.
      let again = await bench.calls.handle(
        RetryOrder(list: ListReference("1")), from: .owner)
      #expect(
        error(again)
          == .notPossible(
            why: "list 2 of the same name has taken over from it. Retry that one"))
    }
  }

  @Test func `of two retries at once one makes a list, and the other fails`() async throws {
    try await PeopleBench.use { bench in
      try await bench.parts.add(1)
      try await bench.parts.recorder.record([.cancelled(list)])
      let first = ListReference("1")
      async let one = bench.calls.handle(RetryOrder(list: first), from: .owner)
      async let two = bench.calls.handle(RetryOrder(list: first), from: .owner)
      let errors = await [one, two].compactMap(error)
      #expect(
        errors == [
          .notPossible(why: "list 2 of the same name has taken over from it. Retry that one")
        ])
      #expect(bench.parts.recorder.ledger { $0.lists.count } == 2)
    }
  }

  @Test func `photos can be named for a retry: those that failed are tried again`() async throws {
    try await PeopleBench.use { bench in
      let parts = bench.parts
      try await parts.add(1, SampleList(count: 9))
      try await parts.develop(PhotoID(list: list, number: 1), print: "Photo 1.jpg")
      for number in 2...9 as ClosedRange<UInt32> {
        try await parts.recorder.record(
          [.failed(PhotoID(list: list, number: number), .download, code: "http.404", attempt: 1)],
          after: [.row(list, ResultRow(photo: number, state: .failed, code: "http.404"))])
      }
      try await parts.recorder.record([.finished(list)])
      func retry(_ photos: String...) async -> ControlReply {
        await bench.calls.handle(RetryOrder(list: barn, photos: photos), from: .owner)
      }
      #expect(
        error(await retry("1")) == .notPossible(why: "none of the named photos has failed"))
      #expect(
        error(await retry("3", "Photo 99"))
          == .notPossible(why: "the list has no photo 'Photo 99' (did you mean 'Photo 9'?)"))
      let reply = await retry("1-4", "Photo 7", "7")
      let new = try #require(reply.message(ListReply.self)?.list)
      #expect(new.id == 2 && new.total == 9)
      #expect(parts.index[ListID(2)]?.terms.again == NumberRanges([2, 3, 4, 7]).map { .only($0) })
      // However often photos are named, each counts once.
      let many = [String](repeating: "1-9", count: 1000)
      guard
        case .notPossible = error(
          await bench.calls.handle(
            RetryOrder(list: ListReference("1"), photos: many), from: .owner))
      else {
        Issue.record("list 2 has taken over")
        return
      }
    }
  }

  @Test func `a cancelled list is retried as a whole`() async throws {
    try await PeopleBench.use { bench in
      try await bench.parts.add(1)
      try await bench.parts.recorder.record([.cancelled(list)])
      let reply = await bench.calls.handle(
        RetryOrder(list: barn, photos: ["1"]), from: .owner)
      #expect(
        error(reply)
          == .notPossible(
            why: "it was cancelled; name no photos, and all that is missing is done"))
    }
  }

  @Test func `a paused list is resumed before it is retried`() async throws {
    try await PeopleBench.use { bench in
      try await bench.begin(1)
      _ = await bench.calls.handle(PauseOrder(list: barn), from: .owner)
      let reply = await bench.calls.handle(RetryOrder(list: barn), from: .owner)
      #expect(error(reply) == .notPossible(why: "it is paused; resume it first"))
    }
  }

  @Test func `without a failed photo there is nothing to retry`() async throws {
    try await PeopleBench.use { bench in
      try await bench.begin(1)
      let reply = await bench.calls.handle(RetryOrder(list: barn), from: .owner)
      #expect(
        error(reply)
          == .notPossible(
            why: "none of its photos has failed; it is still at work"))
    }
  }

  @Test func `a change that cannot be recorded is answered with its reason`() async throws {
    try await PeopleBench.use { bench in
      try await bench.begin(1)
      await bench.parts.recorder.close()
      let reply = await bench.calls.handle(PauseOrder(list: barn), from: .owner)
      #expect(error(reply) == .notPossible(why: Failure.cancelled.reason))
    }
  }

  // MARK: the daemon's own

  @Test func `a reload is for root, and answers with its notes or its refusal`() async throws {
    try await PeopleBench.use { bench in
      #expect(isDenied(await bench.calls.handle(ReloadOrder(), from: .stranger)))
      let order = ForecastOrder(keepLists: .seconds(60), keepPrints: .seconds(60))
      #expect(isDenied(await bench.calls.handle(order, from: .stranger)))
      let foreseen = await bench.calls.handle(order, from: .root)
      #expect(foreseen.message(NotesReply.self)?.notes == ["KeepPrints= is 60 s"])
      let conf = "daemon/darkroomd.conf"
      try bench.parts.scratch.write(
        Array("[Inbox]\nQuietTime=9s\n[Report]\nTransitions=yes\n".utf8), to: conf)
      let reply = await bench.calls.handle(ReloadOrder(), from: .root)
      #expect(reply.message(NotesReply.self)?.notes == ["QuietTime takes effect at the next start"])
      try bench.parts.scratch.write(Array("nonsense".utf8), to: conf)
      guard
        case .reloadFailed(let why)? = error(await bench.calls.handle(ReloadOrder(), from: .root))
      else {
        Issue.record("the bad file is not refused")
        return
      }
      #expect(why.contains("darkroomd.conf:1: "))
      bench.reload.stop()
      let late = await bench.calls.handle(ReloadOrder(), from: .root)
      #expect(error(late) == .notPossible(why: "the daemon is stopping"))
    }
  }

  @Test func `only root empties the cache`() async throws {
    try await PeopleBench.use { bench in
      #expect(isDenied(await bench.calls.handle(CacheOrder(clear: true), from: .stranger)))
      #expect(error(await bench.calls.handle(CacheOrder(clear: true), from: .root)) == nil)
    }
  }

  @Test
  func `a member may flush a host of lists to look at, but not all, and none that asked for rest`()
    async throws
  {
    try await PeopleBench.use { bench in
      try await bench.begin(1)
      #expect(isDenied(await bench.calls.handle(FlushOrder(host: nil), from: .stranger)))
      let other = ControlError.notPossible(why: "no list that you may look at waits for that host")
      #expect(error(await bench.calls.handle(FlushOrder(host: "h"), from: .stranger)) == other)
      let none = await bench.calls.handle(FlushOrder(host: "h"), from: .root)
      #expect(none.message(FlushReply.self)?.hosts == 0)
      let isClosed = await bench.closeHost(of: list)
      #expect(isClosed)
      let host = FlushOrder(host: "photos.example.org")
      #expect(isDenied(await bench.calls.handle(host, from: .stranger)))
      let one = await bench.calls.handle(host, from: .root)
      #expect(one.message(FlushReply.self)?.hosts == 1)
    }
  }

  // MARK: streams

  /// A stream whose reports the test counts; the caller leaves after `most`.
  private func stream(
    _ bench: PeopleBench, _ call: any ControlMethod, most: Int = .max, _ reports: EventBoard<Int>
  ) async -> ControlReply {
    let caller = ReplyStream { _ in
      reports.change { $0 += 1 }
      return reports.value < most
    }
    return await bench.calls.stream(call, from: .stranger, to: caller)
  }

  /// Ends the pauses between two reports until the stream has ended.
  private func tick(
    _ bench: PeopleBench, until isOver: EventBoard<Bool>
  ) async throws -> Bool {
    try await Patience.sees {
      bench.parts.clock.advance(by: .seconds(1))
      return isOver.value
    }
  }

  @Test(arguments: [true, false])
  func `a stream reports each change until its list is over`(isWatch: Bool) async throws {
    try await PeopleBench.use { bench in
      try await bench.begin(1)
      let call: any ControlMethod = isWatch ? WatchOrder(list: barn) : ShowOrder(list: barn)
      let (reports, isOver) = (EventBoard(0), EventBoard(false))
      async let reply = {
        let reply = await stream(bench, call, reports)
        isOver.change { $0 = true }
        return reply
      }()
      let isBegun = await reports.wait { $0 >= 1 }
      #expect(isBegun && !isOver.value)
      _ = await bench.calls.handle(CancelOrder(list: barn), from: .owner)
      let isTold = try await tick(bench, until: isOver)
      #expect(isTold)
      let last = await reply
      let lists =
        isWatch
        ? last.message(WatchReport.self)?.lists : last.message(ShowReport.self).map { [$0.list] }
      #expect(lists?.map(\.state) == ["cancelled"], "\(last)")
    }
  }

  @Test(arguments: [true, false])
  func `a stream ends when its caller has left, or the daemon stops`(isLeft: Bool) async throws {
    try await PeopleBench.use { bench in
      try await bench.begin(1)
      if !isLeft { bench.parts.ground.stop.turnOn() }
      let reports = EventBoard(0)
      for call in [WatchOrder(list: ListReference("1")), WatchOrder()]
        as [any ControlMethod]
      {
        let reply = await stream(bench, call, most: 1, reports)
        #expect(error(reply) == nil)
      }
      #expect(reports.value == (isLeft ? 2 : 0))
      #expect(bench.parts.state(list) == .accepted)
    }
  }

  @Test func `a stream of a single answer is answered at once`() async throws {
    try await PeopleBench.use { bench in
      let reply = await stream(bench, ListsOrder(), EventBoard(0))
      #expect(reply.message(ListsReply.self) != nil)
    }
  }

  @Test func `a stream of an unknown list ends with the reason`() async throws {
    try await PeopleBench.use { bench in
      let call = ShowOrder(list: barn)
      #expect(error(await stream(bench, call, EventBoard(0))) == .noSuchList(name: "barn"))
      bench.parts.departures.note(ListID(4), "barn.plist", of: 1000, rejected: "line 3: no URL")
      #expect(
        error(await stream(bench, call, EventBoard(0)))
          == .listRejected(name: "barn", why: OwnersReason.closed))
      #expect(
        error(await bench.calls.stream(call, from: .owner, to: ReplyStream { _ in false }))
          == .listRejected(name: "barn", why: "line 3: no URL"))
    }
  }

  @Test func `a stream of a file that is ignored ends with the reason`() async throws {
    try await PeopleBench.use { bench in
      try bench.drop("barn.doc")
      let doc = ShowOrder(list: ListReference("barn.doc"))
      let why = "'barn.doc' in the inbox is ignored: \(IgnoredReason.suffix)"
      #expect(error(await stream(bench, doc, EventBoard(0))) == .notPossible(why: why))
    }
  }

  @Test func `a stream of pictures ends with the reason when they are taken out of their folder`()
    async throws
  {
    try await PeopleBench.use { bench in
      let folder = FileName(literal: "barn")
      let inbox = try LinuxFolder.open(path: bench.parts.ground.places.inbox)
      try inbox.openFolder(folder, creating: true).write(
        whole: [1], as: FileName(literal: "door.jpg"), mode: 0o600)
      let isOver = EventBoard(false)
      async let reply = {
        let reply = await stream(bench, ShowOrder(list: barn), EventBoard(0))
        isOver.change { $0 = true }
        return reply
      }()
      #expect(await bench.inbox.look().waitingCount == 1 && !isOver.value)
      try inbox.openFolder(folder, creating: false).remove(FileName(literal: "door.jpg"))
      #expect(
        try await Patience.sees {
          bench.parts.clock.advance(by: .seconds(1))
          bench.parts.ground.changes.changed()
          return isOver.value
        })
      let why = "'barn' in the inbox is ignored: \(IgnoredReason.noPictures)"
      #expect(error(await reply) == .notPossible(why: why))
    }
  }

  @Test func `a stream waits for the pictures of a folder that came without any`() async throws {
    try await PeopleBench.use { bench in
      let folder = FileName(literal: "barn")
      let inbox = try LinuxFolder.open(path: bench.parts.ground.places.inbox)
      let barn = try inbox.openFolder(folder, creating: true)
      let isOver = EventBoard(false)
      async let reply = {
        let reply = await stream(bench, ShowOrder(list: ListReference("barn")), EventBoard(0))
        isOver.change { $0 = true }
        return reply
      }()
      for _ in 0..<10 {
        bench.parts.clock.advance(by: .seconds(1))
        bench.parts.ground.changes.changed()
        _ = await bench.inbox.look()
      }
      // It is ignored, and its pictures may still come.
      #expect(await bench.inbox.look().undecided == [folder])
      try barn.write(whole: [1], as: FileName(literal: "door.jpg"), mode: 0o600)
      #expect(await bench.inbox.look().waitingCount == 1 && !isOver.value)
      // Its user takes it away.
      try barn.remove(FileName(literal: "door.jpg"))
      try inbox.removeFolder(folder)
      #expect(
        try await Patience.sees {
          bench.parts.clock.advance(by: .seconds(1))
          bench.parts.ground.changes.changed()
          return isOver.value
        })
      let end = error(await reply)
      if case .noSuchList? = end { return }
      Issue.record("\(String(describing: end))")
    }
  }

  @Test func `a stream waits for a file in the inbox that may become its list`() async throws {
    try await PeopleBench.use { bench in
      // An older list of the name is not meant.
      try await bench.parts.add(1)
      try await bench.parts.recorder.record([.cancelled(list)])
      try bench.drop("barn.plist")
      let (reports, isOver) = (EventBoard(0), EventBoard(false))
      async let reply = {
        let reply = await stream(bench, ShowOrder(list: barn), reports)
        isOver.change { $0 = true }
        return reply
      }()
      let sweep = await bench.inbox.look()
      #expect(sweep.waitingCount == 1 && !isOver.value)
      bench.parts.departures.note(ListID(2), "barn.plist", of: 1000, rejected: "line 3: no URL")
      try bench.take("barn.plist")
      #expect(error(await reply) == .listRejected(name: "barn", why: OwnersReason.closed))
    }
  }

  @Test func `a file of another user delays no caller who has a list of the name`() async throws {
    try await PeopleBench.use { bench in
      try await bench.parts.add(1)
      try await bench.parts.recorder.record([.cancelled(list)])
      // The tests run as root, so the file is root's.
      try bench.drop("barn.plist")
      #expect(await bench.inbox.look().waitingCount == 1)
      bench.parts.departures.note(ListID(2), "barn.plist", of: 0, rejected: "line 3: no URL")
      let (call, calls) = (ShowOrder(list: barn), bench.calls)
      let reply = await Patience.value {
        await calls.stream(call, from: .owner, to: ReplyStream { _ in false })
      }
      #expect(reply?.message(ShowReport.self)?.list.id == list.number)
    }
  }
}
