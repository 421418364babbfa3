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
    if case .changed(let summary) = reply { summary.state } else { nil }
  }

  private func error(_ reply: ControlReply) -> ControlError? {
    if case .failed(let error) = reply { error } else { nil }
  }

  private func isDenied(_ reply: ControlReply) -> Bool {
    if case .permissionDenied = error(reply) { true } else { false }
  }

  // MARK: reading

  @Test func `each call that reads is answered by its report, for everyone`() async throws {
    try await PeopleBench.use { bench in
      try await bench.parts.add(1)
      let calls: [ControlCall] = [
        .status, .lists, .inbox, .show(ShowOrder(list: barn)), .watch(WatchOrder()),
        .cache(clear: false), .follow(FollowOrder()), .follow(FollowOrder(list: barn, since: 0)),
      ]
      for call in calls {
        let reply = await bench.calls.handle(call, from: .stranger)
        #expect(error(reply) == nil, "\(call)")
        #expect(try ControlReply(to: call.method, reply.parameters) == reply)
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
        let reply = await bench.calls.handle(.follow(order), from: .stranger)
        guard case .followed(let report) = reply else { throw Unexpected(reply: reply) }
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
          guard case .followed(let report) = reply else { return false }
          seen.withLock { $0 += report.steps.map(\.state) }
          reports.change { $0 += 1 }
          return true
        }
        let end = await bench.calls.stream(.follow(order), from: .stranger, to: caller)
        isOver.change { $0 = true }
        return end
      }()
      #expect(await reports.wait { $0 >= 1 } && !isOver.value)
      try await bench.parts.recorder.record([.cancelled(list)])
      bench.parts.narrator.changed()
      #expect(try await tick(bench, until: isOver))
      guard case .followed(let last) = await reply else { throw Unexpected(reply: await reply) }
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
        let reply = await bench.calls.handle(.status, from: .stranger)
        guard case .status = reply else {
          Issue.record("\(reply)")
          return
        }
        let isAsking = EventBoard(false)
        async let lists = {
          isAsking.change { $0 = true }
          return await bench.calls.handle(.lists, from: .stranger)
        }()
        #expect(await isAsking.wait { $0 })
        parts.index.load([list], from: parts.folders.lists)
        guard case .lists(let summaries) = await lists else {
          Issue.record("the lists are not answered")
          return
        }
        #expect(summaries.map(\.name) == ["barn"])
      }
    }
  }

  // MARK: changes

  @Test func `a change by the owner is durable when it is answered`() async throws {
    try await PeopleBench.use { bench in
      try await bench.begin(1)
      let (calls, parts) = (bench.calls, bench.parts)
      #expect(state(await calls.handle(.pause(barn), from: .owner)) == "paused")
      #expect(parts.state(list) == .paused)
      #expect(parts.recorder.ledger { $0[list]?.halter } == ControlPeer.owner.user)
      #expect(state(await calls.handle(.resume(barn), from: .owner)) == "accepted")
      #expect(parts.recorder.ledger { $0[list]?.halter } == nil)
      let answer = await calls.handle(.quality(barn, .background), from: .owner)
      guard case .changed(let changed) = answer else {
        Issue.record("\(answer)")
        return
      }
      #expect(changed.serviceClass == "background")
      #expect(
        parts.recorder.ledger { $0[list]?.acceptance.serviceClass } == .background)
      guard case .changed(let end) = await calls.handle(.cancel(barn), from: .root) else {
        Issue.record("not cancelled")
        return
      }
      #expect(end.state == "cancelled" && end.halter == 0 && parts.state(list) == .cancelled)
    }
  }

  @Test func `only the owner and root change a list`() async throws {
    try await PeopleBench.use { bench in
      try await bench.begin(1)
      for call in [
        .pause(barn), .resume(barn), .cancel(barn), .retry(RetryOrder(list: barn)),
        .quality(barn, .utility), .remove(barn),
      ] as [ControlCall] {
        #expect(isDenied(await bench.calls.handle(call, from: .stranger)))
      }
      #expect(bench.parts.state(list) == .accepted)
      #expect(state(await bench.calls.handle(.cancel(barn), from: .root)) == "cancelled")
    }
  }

  @Test func `a list that is unknown, or over, is not changed`() async throws {
    try await PeopleBench.use { bench in
      let missing = await bench.calls.handle(.pause(barn), from: .root)
      #expect(error(missing) == .noSuchList(name: "barn"))
      try await bench.parts.add(1)
      try await bench.parts.recorder.record([.cancelled(list)])
      let over = await bench.calls.handle(.pause(barn), from: .root)
      #expect(error(over) == .notPossible(why: OpenList.over.reason))
    }
  }

  @Test(arguments: ["BARN", "b*", "bar?"])
  func `a list is removed by its exact name or its number alone`(word: String) async throws {
    try await PeopleBench.use { bench in
      try await bench.parts.add(1)
      try await bench.parts.recorder.record([.cancelled(list)])
      let guess = await bench.calls.handle(.remove(ListReference(word)), from: .root)
      #expect(error(guess) == .noSuchList(name: word, near: "barn"))
      #expect(bench.parts.state(list) == .cancelled)
      // The list has not been returned.
      let exact = await bench.calls.handle(.remove(barn), from: .root)
      #expect(
        error(exact)
          == .notPossible(
            why: "the copy of list 1 is not in done yet; 'why' tells what it waits for"))
    }
  }

  @Test func `a retry is a new list of the same name, which takes over`() async throws {
    try await PeopleBench.use { bench in
      let parts = bench.parts
      try await parts.add(1)
      try await parts.recorder.record([.cancelled(list)])
      let reply = await bench.calls.handle(.retry(RetryOrder(list: barn)), from: .owner)
      guard case .changed(let new) = reply else {
        Issue.record("\(reply)")
        return
      }
      #expect(new.name == "barn" && new.id == 2 && new.total == 1 && new.state == "accepted")
      #expect(parts.state(ListID(2)) == .accepted)
      let (old, label) = (try #require(parts.index[list]), try #require(parts.index[ListID(2)]))
      #expect(label.terms.revises == list && label.terms.prints == old.terms.prints)
      #expect(label.terms.filter == old.terms.filter && label.owner == old.owner)
      // Nothing was dropped, so nothing has left the inbox.
      #expect(parts.departures.all.isEmpty)
      // The first one is over, and another has taken over from it.
      let again = await bench.calls.handle(
        .retry(RetryOrder(list: ListReference("1"))), from: .owner)
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
      async let one = bench.calls.handle(.retry(RetryOrder(list: first)), from: .owner)
      async let two = bench.calls.handle(.retry(RetryOrder(list: first)), from: .owner)
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
        await bench.calls.handle(.retry(RetryOrder(list: barn, photos: photos)), from: .owner)
      }
      #expect(
        error(await retry("1")) == .notPossible(why: "none of the named photos has failed"))
      #expect(
        error(await retry("3", "Photo 99"))
          == .notPossible(why: "the list has no photo 'Photo 99' (did you mean 'Photo 9'?)"))
      guard case .changed(let new) = await retry("1-4", "Photo 7", "7") else {
        Issue.record("no new list")
        return
      }
      #expect(new.id == 2 && new.total == 9)
      #expect(parts.index[ListID(2)]?.terms.again == NumberRanges([2, 3, 4, 7]).map { .only($0) })
      // However often photos are named, each counts once.
      let many = [String](repeating: "1-9", count: 1000)
      guard
        case .notPossible = error(
          await bench.calls.handle(
            .retry(RetryOrder(list: ListReference("1"), photos: many)), from: .owner))
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
        .retry(RetryOrder(list: barn, photos: ["1"])), from: .owner)
      #expect(
        error(reply)
          == .notPossible(
            why: "it was cancelled; name no photos, and all that is missing is done"))
    }
  }

  @Test func `a paused list is resumed before it is retried`() async throws {
    try await PeopleBench.use { bench in
      try await bench.begin(1)
      _ = await bench.calls.handle(.pause(barn), from: .owner)
      let reply = await bench.calls.handle(.retry(RetryOrder(list: barn)), from: .owner)
      #expect(error(reply) == .notPossible(why: "it is paused; resume it first"))
    }
  }

  @Test func `without a failed photo there is nothing to retry`() async throws {
    try await PeopleBench.use { bench in
      try await bench.begin(1)
      let reply = await bench.calls.handle(.retry(RetryOrder(list: barn)), from: .owner)
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
      let reply = await bench.calls.handle(.pause(barn), from: .owner)
      #expect(error(reply) == .notPossible(why: Failure.cancelled.reason))
    }
  }

  // MARK: the daemon's own

  @Test func `a reload is for root, and answers with its notes or its refusal`() async throws {
    try await PeopleBench.use { bench in
      #expect(isDenied(await bench.calls.handle(.reload, from: .stranger)))
      let order = ForecastOrder(keepLists: .seconds(60), keepPrints: .seconds(60))
      #expect(isDenied(await bench.calls.handle(.forecast(order), from: .stranger)))
      #expect(
        await bench.calls.handle(.forecast(order), from: .root)
          == .foreseen(notes: ["KeepPrints= is 60 s"]))
      let conf = "daemon/darkroomd.conf"
      try bench.parts.scratch.write(
        Array("[Inbox]\nQuietTime=9s\n[Report]\nTransitions=yes\n".utf8), to: conf)
      let reply = await bench.calls.handle(.reload, from: .root)
      #expect(reply == .reloaded(notes: ["QuietTime takes effect at the next start"]))
      try bench.parts.scratch.write(Array("nonsense".utf8), to: conf)
      guard case .reloadFailed(let why)? = error(await bench.calls.handle(.reload, from: .root))
      else {
        Issue.record("the bad file is not refused")
        return
      }
      #expect(why.contains("darkroomd.conf:1: "))
      bench.reload.stop()
      let late = await bench.calls.handle(.reload, from: .root)
      #expect(error(late) == .notPossible(why: "the daemon is stopping"))
    }
  }

  @Test func `only root empties the cache`() async throws {
    try await PeopleBench.use { bench in
      #expect(isDenied(await bench.calls.handle(.cache(clear: true), from: .stranger)))
      #expect(error(await bench.calls.handle(.cache(clear: true), from: .root)) == nil)
    }
  }

  @Test
  func `a member may flush a host of lists to look at, but not all, and none that asked for rest`()
    async throws
  {
    try await PeopleBench.use { bench in
      try await bench.begin(1)
      #expect(isDenied(await bench.calls.handle(.flush(host: nil), from: .stranger)))
      let other = ControlError.notPossible(why: "no list that you may look at waits for that host")
      #expect(error(await bench.calls.handle(.flush(host: "h"), from: .stranger)) == other)
      #expect(await bench.calls.handle(.flush(host: "h"), from: .root) == .flushed(hosts: 0))
      let isClosed = await bench.closeHost(of: list)
      #expect(isClosed)
      let host = ControlCall.flush(host: "photos.example.org")
      #expect(isDenied(await bench.calls.handle(host, from: .stranger)))
      #expect(await bench.calls.handle(host, from: .root) == .flushed(hosts: 1))
    }
  }

  // MARK: streams

  /// A stream whose reports the test counts; the caller leaves after `most`.
  private func stream(
    _ bench: PeopleBench, _ call: ControlCall, most: Int = .max, _ reports: EventBoard<Int>
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
      let call: ControlCall =
        isWatch ? .watch(WatchOrder(list: barn)) : .show(ShowOrder(list: barn))
      let (reports, isOver) = (EventBoard(0), EventBoard(false))
      async let reply = {
        let reply = await stream(bench, call, reports)
        isOver.change { $0 = true }
        return reply
      }()
      let isBegun = await reports.wait { $0 >= 1 }
      #expect(isBegun && !isOver.value)
      _ = await bench.calls.handle(.cancel(barn), from: .owner)
      let isTold = try await tick(bench, until: isOver)
      #expect(isTold)
      switch await reply {
      case .show(let report): #expect(!isWatch && report.list.state == "cancelled")
      case .watch(let report): #expect(isWatch && report.lists.map(\.state) == ["cancelled"])
      case let other: Issue.record("\(other)")
      }
    }
  }

  @Test(arguments: [true, false])
  func `a stream ends when its caller has left, or the daemon stops`(isLeft: Bool) async throws {
    try await PeopleBench.use { bench in
      try await bench.begin(1)
      if !isLeft { bench.parts.ground.stop.turnOn() }
      let reports = EventBoard(0)
      for call in [.watch(WatchOrder(list: ListReference("1"))), .watch(WatchOrder())]
        as [ControlCall]
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
      guard case .lists = await stream(bench, .lists, EventBoard(0)) else {
        Issue.record("the lists are not answered")
        return
      }
    }
  }

  @Test func `a stream of an unknown list ends with the reason`() async throws {
    try await PeopleBench.use { bench in
      let call = ControlCall.show(ShowOrder(list: barn))
      #expect(error(await stream(bench, call, EventBoard(0))) == .noSuchList(name: "barn"))
      bench.parts.departures.note(ListID(4), "barn.plist", OwnersReason("line 3: no URL", of: 1000))
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
      let doc = ControlCall.show(ShowOrder(list: ListReference("barn.doc")))
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
        let reply = await stream(bench, .show(ShowOrder(list: barn)), EventBoard(0))
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

  @Test func `a stream waits for a file in the inbox that may become its list`() async throws {
    try await PeopleBench.use { bench in
      // An older list of the name is not meant.
      try await bench.parts.add(1)
      try await bench.parts.recorder.record([.cancelled(list)])
      try bench.drop("barn.plist")
      let (reports, isOver) = (EventBoard(0), EventBoard(false))
      async let reply = {
        let reply = await stream(bench, .show(ShowOrder(list: barn)), reports)
        isOver.change { $0 = true }
        return reply
      }()
      let sweep = await bench.inbox.look()
      #expect(sweep.waitingCount == 1 && !isOver.value)
      bench.parts.departures.note(ListID(2), "barn.plist", OwnersReason("line 3: no URL", of: 1000))
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
      bench.parts.departures.note(ListID(2), "barn.plist", OwnersReason("line 3: no URL", of: 0))
      let call = ControlCall.show(ShowOrder(list: barn))
      let calls = bench.calls
      let reply = await Patience.value {
        await calls.stream(call, from: .owner, to: ReplyStream { _ in false })
      }
      guard case .show(let report) = reply else {
        Issue.record("the list is not shown")
        return
      }
      #expect(report.list.id == list.number)
    }
  }
}
