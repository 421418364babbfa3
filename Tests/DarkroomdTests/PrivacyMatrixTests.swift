// SPDX-License-Identifier: Apache-2.0
// Who is told what: each method of the control interface, as a call and as a stream, for the owner of the lists, root,
// another member of the group, and pages that look for one of them. Each field of a private list, of an open one and of
// files in the inbox has a word of its own; a caller is told exactly the words that the table has for it, and by the
// methods that Privacy.txt has for it. A test fails until a new method has its calls here. Files are in
// PrivateFilesTests, the socket's mode in ListenerTests.

import Accept
import Chain
import Download
import Files
import Foundation
import Linux
import Record
import Steer
import Support
import Synchronization
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct PrivacyMatrixTests {
  private enum Caller: String, CaseIterable {
    case root, owner, member, ownersPage, membersPage, membersOpenPage

    /// The words that the caller is told.
    var words: Set<String> {
      switch self {
      case .root: Words.open.union(Words.private).union(Words.files).union(Words.ofRoot)
      case .owner: Words.open.union(Words.private).union(Words.files)
      case .member: Words.open
      // A view is one of the private list.
      case .ownersPage: Words.private.subtracting(Words.ofDaemon)
      case .membersPage: []
      case .membersOpenPage: Words.open.subtracting(Words.ofDaemon)
      }
    }
  }

  private enum Words {
    static let open: Set = ["OpenName", "OpenPath", "openhost", "OpenTitle", "OpenTrouble"]
    static let `private`: Set = [
      "WordName", "WordPath", "wordhost", "WordTitle", "WordRow", "WordTrouble", "WordCopy",
    ]
    /// Those of `Status`, which no page asks for.
    static let ofDaemon: Set = ["WordTrouble", "WordCopy", "OpenTrouble"]
    static let files: Set = ["WordRejected", "WordCrowd"]
    /// The owner of that file is root.
    static let ofRoot: Set = ["WordDoubt", "WordFile", "WordPrint", "WordMachine"]
    /// Queries of URLs, webhooks and the names of viewers.
    static let never: Set = ["WordQuery", "WordNotify", "WordViewer"]
    static let all = open.union(`private`).union(files).union(ofRoot).union(never)
  }

  /// Signs the views of pages.
  private static let key = [UInt8](repeating: 7, count: ViewKey.size)
  private static let lists = ["barn", "1", "cow", "2"].map { ListReference($0) }
  /// Almost the name of a list, and patterns.
  private static let guesses = ["barm", "Barn", "b*", "*", "c?w"].map {
    ListReference($0)
  }

  /// Every way to ask a method for something.
  private static let everyCall = callsWithoutList + (lists + guesses).flatMap { calls(about: $0) }

  private static let callsWithoutList: [any ControlMethod] = [
    StatusOrder(), ListsOrder(), AgedOrder(age: .zero), InboxOrder(), ReloadOrder(),
    ForecastOrder(keepLists: .seconds(86_400), keepPrints: nil), SettingsOrder(), WatchOrder(),
    FollowOrder(since: 0), RedeemOrder(token: "0123"), CacheOrder(clear: false),
    CacheOrder(clear: true), MetricsOrder(), FlushOrder(host: nil),
    FlushOrder(host: "wordhost.example.org"), FlushOrder(host: "elsewhere.example.org"),
    NodesOrder(), DrainOrder(node: "a"),
  ]

  private static func calls(about list: ListReference) -> [any ControlMethod] {
    var verifying = ShowOrder(list: list)
    verifying.verifies = true
    return [
      ShowOrder(list: list), verifying, WhyOrder(list: list), WhyOrder(list: list, photo: "1"),
      WhyOrder(list: list, photo: "wordname 2"), WhyOrder(list: list, photo: "WordNam*"),
      PauseOrder(list: list), ResumeOrder(list: list), CancelOrder(list: list),
      SetQualityOrder(list: list, level: .background), FocusOrder(list: list),
      UnfocusOrder(list: list), RetryOrder(list: list), RemoveOrder(list: list),
      SheetOrder(list: list), WatchOrder(list: list), FollowOrder(list: list, since: 0),
      OpenOrder(list: list), StatesOrder(list: list), ColoursOrder(list: list, groups: 1),
      FindOrder(list: list, text: "a"), PictureOrder(list: list, photo: 1),
      PictureOrder(list: list, photo: 1, isThumbnail: true),
    ]
  }

  @Test func `each method is asked for something`() {
    let asked = Set(Self.everyCall.map { type(of: $0).name })
    #expect(asked == Set(ControlInterface.methods.map { $0.name }))
  }

  /// Those who may change the lists only look.
  private static func calls(of caller: Caller) -> [any ControlMethod] {
    // The world of the next caller would be another one.
    caller == .root || caller == .owner
      ? everyCall.filter { !type(of: $0).isChange && !($0 is FocusOrder) } : everyCall
  }

  @Test func `each caller is told the words of the table, by whatever method`() async throws {
    try await PeopleBench.use { bench in
      try await prepare(bench)
      var rows: [String] = []
      for caller in Caller.allCases {
        let told = try await told(caller, bench)
        #expect(Set(told.keys) == caller.words, "\(caller.rawValue): \(told)")
        rows += told.sorted { $0.key < $1.key }.map { word, methods in
          "\(caller.rawValue) \(word): \(methods.sorted().joined(separator: " "))\n"
        }
      }
      try Self.compare(rows.joined())
    }
  }

  /// After a change that a person has looked at, `DARKROOM_REWRITE=1 swift test --filter PrivacyMatrixTests` writes
  /// the table again.
  private static func compare(_ table: String) throws {
    let path = Repository.path("Tests/DarkroomdTests/Privacy.txt")
    if ProcessInfo.processInfo.environment["DARKROOM_REWRITE"]?.isEmpty == false {
      try table.write(toFile: path, atomically: true, encoding: .utf8)
    }
    #expect(table == Repository.text("Tests/DarkroomdTests/Privacy.txt"))
  }

  /// The words in all replies, each with the methods that told it.
  private func told(
    _ caller: Caller, _ bench: PeopleBench
  ) async throws -> [String: Set<String>] {
    let peer = try peer(caller, in: bench)
    var told: [String: Set<String>] = [:]
    for call in Self.calls(of: caller) {
      for reply in await replies(to: call, from: peer, bench) {
        let text = JSONWriter.text(.object(ControlAnswer(reply).parameters))
        for word in Words.all where text.contains(word) {
          told[word, default: []].insert(type(of: call).name)
        }
      }
    }
    return told
  }

  @Test func `a member cannot tell a host of private lists from one that nobody uses`() async throws
  {
    try await PeopleBench.use { bench in
      try await prepare(bench)
      var replies: [ControlReply] = []
      for host in ["wordhost.example.org", "elsewhere.example.org"] {
        replies.append(await bench.calls.handle(FlushOrder(host: host), from: .stranger))
      }
      guard case .failed(.notPossible) = replies[0] else {
        Issue.record("\(replies)")
        return
      }
      #expect(ControlAnswer(replies[0]) == ControlAnswer(replies[1]))
      let reply = await bench.calls.handle(StatusOrder(), from: .stranger)
      let status = try #require(reply.message(StatusReply.self)?.status)
      #expect(
        Set(status.hosts.map(\.name))
          == ["openhost.example.org", "a host of a private list"])
      #expect(
        status.degraded.contains("list 1 waits")
          && status.degraded.contains("torn.plist waits for this machine"))
    }
  }

  @Test func `a transfer that lists share counts the photos that the caller may look at`()
    async throws
  {
    try await PeopleBench.use { bench in
      let url = "https://photos.example.org/shared.jpg"
      try await bench.begin(
        1,
        SampleList {
          $0.photos = [("A", url), ("B", url)]
          $0.terms = terms("barn", "WordTitle")
          $0.terms.isPrivate = true
        })
      try await bench.begin(
        2,
        SampleList {
          $0.photos = [("C", url)]
          $0.terms = terms("cow", "OpenTitle")
        })
      bench.parts.photos.chains.suspendDownloads(false)
      let downloads = bench.parts.photos.downloader
      #expect(try await Patience.sees { downloads.progress().first?.photos.count == 3 })
      for (peer, photos) in [(ControlPeer.root, 3), (.owner, 3), (.stranger, 1)] {
        let report = try await bench.views.watch(WatchOrder(), for: peer)
        #expect(report.transfers.map(\.photos) == [photos])
      }
    }
  }

  @Test func `every user is told how many prints are about to go`() async throws {
    try await PeopleBench.use { bench in
      for peer in [ControlPeer.root, .owner, .stranger] {
        let reply = await bench.calls.handle(StatusOrder(), from: peer)
        let status = reply.message(StatusReply.self)?.status
        #expect(status?.expiring == ["prints are about to go"])
      }
    }
  }

  // MARK: hosts of several users

  /// The host is closed for the owner of a list there.
  private func close(
    _ origin: String, _ number: UInt64, for owner: UInt32, isPrivate: Bool, wish: UInt32? = nil,
    _ bench: PeopleBench
  ) async throws {
    let failure = Failure(
      .passing, code: "http.503", reason: "closed for \(owner)", waitSeconds: wish)
    let network = bench.parts.network
    let name = try PhotoURL(parsing: "\(origin)/").serverName
    try await bench.begin(
      number,
      SampleList {
        $0.photos = ["1", "2"].map { ($0, "\(origin)/\(number)-\($0).jpg") }
        $0.name = "list-\(number).plist"
        $0.owner = owner
        $0.terms = terms("prints-\(number)", "")
        $0.terms.isPrivate = isPrivate
      })
    let chains = bench.parts.photos.chains
    chains.suspendDownloads(false)
    // One failure closes no host.
    #expect(try await Patience.sees { network.waiting(for: name) == 2 })
    network.failAll(failure)
    #expect(
      try await Patience.sees {
        // Both failures, since the second one asks for its wait as well.
        chains.closedHosts().contains { $0.owner == owner && $0.name == name && $0.attempts >= 2 }
      })
  }

  private let host = "photos.example.org"
  private let other: UInt32 = 2000

  @Test func `the status tells of a host that is closed for several users what the caller may see`()
    async throws
  {
    try await PeopleBench.use { bench in
      try await close(
        "https://\(host)", 1, for: ControlPeer.owner.user, isPrivate: true, wish: 600, bench)
      bench.parts.clock.advance(by: .seconds(60))
      try await close("https://\(host)", 2, for: other, isPrivate: false, wish: 900, bench)
      let now = bench.parts.clock.wallTime()
      for peer in [ControlPeer.root, .owner] {
        let hosts = bench.views.status(isStopping: false, for: peer).hosts
        #expect(hosts.map(\.reason) == ["closed for 1000"])
        #expect(hosts.map(\.since) == [now - 60_000] && hosts.map(\.until) == [now + 540_000])
      }
      let hosts = bench.views.status(isStopping: false, for: .stranger).hosts
      #expect(hosts.map(\.name) == [host])
      #expect(hosts.map(\.reason) == ["closed for 2000"])
      #expect(hosts.map(\.since) == [now] && hosts.map(\.until) == [now + 900_000])
    }
  }

  @Test func `a member flushes a host for the owners of lists that the member may look at`()
    async throws
  {
    try await PeopleBench.use { bench in
      let owner = ControlPeer.owner.user
      try await close("https://\(host)", 1, for: owner, isPrivate: true, bench)
      try await close("https://\(host)", 2, for: other, isPrivate: false, bench)
      func closed(for owner: UInt32) -> [ClosedHost] {
        bench.parts.photos.chains.closedHosts().filter { $0.owner == owner }
      }
      let before = closed(for: owner)
      let reply = await bench.calls.handle(FlushOrder(host: host), from: .stranger)
      #expect(reply.message(FlushReply.self)?.hosts == 1)
      #expect(before.count == 1 && closed(for: owner) == before)
      #expect(closed(for: other).allSatisfy { $0.wait == .zero })
    }
  }

  @Test
  func `a member cannot flush a host that has asked to be left alone, whatever it said to others`()
    async throws
  {
    try await PeopleBench.use { bench in
      let owner = ControlPeer.owner.user
      try await close("https://\(host)", 1, for: owner, isPrivate: true, bench)
      try await close("https://\(host)", 2, for: other, isPrivate: false, wish: 600, bench)
      let reply = await bench.calls.handle(FlushOrder(host: host), from: .stranger)
      guard case .failed(.permissionDenied) = reply else {
        Issue.record("\(reply)")
        return
      }
      let all = await bench.calls.handle(FlushOrder(host: host), from: .root)
      #expect(all.message(FlushReply.self)?.hosts == 1)
    }
  }

  // MARK: the world

  private func prepare(_ bench: PeopleBench) async throws {
    let parts = bench.parts
    try parts.folders.state.write(whole: Self.key, as: FileName(made: "view-key"), mode: 0o600)
    let closed = try await bench.begin(
      1,
      SampleList {
        $0.photos = ["1", "2"].map {
          ("WordName \($0)", "https://wordhost.example.org/WordPath\($0).jpg?WordQuery")
        }
        $0.terms = terms("barn", "WordTitle")
        $0.terms.isPrivate = true
        $0.terms.notify = try? PhotoURL(parsing: "https://hooks.example.org/WordNotify")
      })
    let open = try await bench.begin(
      2,
      SampleList {
        $0.photos = [("OpenName", "https://openhost.example.org/OpenPath.jpg?WordQuery")]
        $0.name = "cow.plist"
        $0.terms = terms("cow", "OpenTitle")
      })
    #expect(await bench.closeHost(of: closed))
    let chains = parts.photos.chains
    #expect(try await Patience.sees { chains.closedHosts().count == 2 })
    let focus = FocusOrder(list: Self.lists[1], photos: ["1"], viewer: "WordViewer")
    let focused = await bench.calls.handle(focus, from: .owner)
    #expect(focused.message(FocusReport.self)?.photos == 1, "\(focused)")
    let row = ResultRow(
      photo: 2, state: .failed, attempts: 3, code: "http.404", reason: "WordRow")
    await chains.idle(closed)
    try await parts.recorder.record(
      [.failed(PhotoID(list: closed, number: 2), .download, code: "http.404", attempt: 3)],
      after: [.row(closed, row)])
    func trouble(_ reason: String) -> Failure {
      Failure(.machine, code: "system.5", reason: reason)
    }
    parts.health.set(trouble("WordTrouble"), for: .list(closed))
    parts.health.set(trouble("WordCopy"), for: .copy(closed))
    parts.health.set(trouble("OpenTrouble"), for: .list(open))
    let torn = FileName(literal: "torn.plist")
    parts.health.set(trouble("WordFile"), for: .file(torn))
    parts.health.set(trouble("unlinkat WordPrint.jpg"), for: .removals)
    for subject in Health.Subject.each where subject.audience(trouble("")) == .administrator {
      if case .file = subject { continue }
      if subject != .removals { parts.health.set(trouble("openat WordMachine"), for: subject) }
    }
    let crowd = Failure(.final, code: "inbox.share", reason: "WordCrowd")
    parts.health.set(crowd, for: .crowd(.user(ControlPeer.owner.user)))
    try await parts.intake.reject(
      ListID(9), name: torn, owner: 1000,
      Failure(.final, code: "list.option", reason: "WordRejected"))
    let doubt = Failure(.final, code: "list.option", reason: "WordDoubt")
    parts.workers.failures.withLock { $0 = Array(repeating: doubt, count: 100) }
    try bench.drop("doubt.plist")
    // It waits for its end; after a while it is rejected. Either is told to its owner.
    #expect(
      try await Patience.sees {
        parts.clock.advance(by: .seconds(2))
        parts.ground.changes.changed()
        return await bench.views.inboxReport(for: .root).files.contains {
          $0.why.contains("WordDoubt")
        }
      })
  }

  private func terms(_ prints: String, _ title: String) -> FrozenSettings {
    FrozenSettings(prints: FileName(made: prints), filter: .standard, title: title)
  }

  private func peer(_ caller: Caller, in bench: PeopleBench) throws -> ControlPeer {
    func page(of user: ControlPeer, _ list: UInt64 = 1) throws -> ControlPeer {
      let right = ViewRight(list: list, user: user.user, until: .max)
      var peer = ControlPeer(process: 1, user: 4_000_002, group: 4_000_002)
      peer.view = try #require(ViewKey(Self.key)).text(of: right)
      return peer
    }
    return switch caller {
    case .root: .root
    case .owner: .owner
    case .member: .stranger
    case .ownersPage: try page(of: .owner)
    case .membersPage: try page(of: .stranger)
    case .membersOpenPage: try page(of: .stranger, 2)
    }
  }

  private func replies(
    to call: any ControlMethod, from peer: ControlPeer, _ bench: PeopleBench
  ) async -> [ControlReply] {
    let sent = EventBoard<[ControlReply]>([])
    let caller = ReplyStream { reply in
      sent.change { $0.append(reply) }
      return false
    }
    let end = await bench.calls.stream(call, from: peer, to: caller)
    return [await bench.calls.handle(call, from: peer), end] + sent.value
  }
}
