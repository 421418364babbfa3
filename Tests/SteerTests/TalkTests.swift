// SPDX-License-Identifier: Apache-2.0
// The tool with a scripted daemon over a real socket: its words and its exit codes.

import Linux
import Steer
import Support
import Synchronization
import Testing
import Vocabulary

@testable import darkroomctl

struct TalkTests {
  private let place: FreshFolder
  private var path: String { "\(place.path)/control" }
  private let clock: SystemClock

  init() throws {
    place = try FreshFolder.forSockets()
    clock = try SystemClock()
  }

  private func talk(
    _ line: String, json: Bool = false, terminal: Bool = false, to daemon: ScriptedDaemon?
  ) async throws -> (code: ExitCode?, words: SpokenWords) {
    let result = try await run(line + (json ? " --json" : ""), terminal: terminal, with: daemon)
    daemon?.release()
    return result
  }

  private func run(
    _ line: String, terminal: Bool = false, with daemon: (any ControlService)?,
    limits: ControlLimits = ControlLimits()
  ) async throws -> (code: ExitCode?, words: SpokenWords) {
    let server = try daemon.map {
      try RunningServer(path: path, handler: $0, clock: clock, limits: limits)
    }
    let words = SpokenWords()
    let voice = words.voice(isTerminal: terminal)
    let order = try ToolArguments.read(
      ["--socket", path] + line.split(separator: " ").map(String.init))
    let code = try await onOwnThread { [clock] in
      DaemonTalk(order: order, voice: voice, clock: clock, users: { _ in nil }, caller: 0).run()
    }
    server?.stop()
    await server?.stopped()
    return (code, words)
  }

  @Test
  func `status of a daemon that does not run ends with 3 and says how to start it`() async throws {
    let (code, words) = try await talk("status", json: true, to: nil)
    #expect(code == .notRunning)
    #expect(words.out == "{\"running\":false}\n")
    let told = try JSONReader.read(Array(words.error.utf8)).object
    #expect(told?["error"] == "daemon.notRunning")
    #expect(
      told?["message"]?.string?.hasPrefix("darkroomd is not running: nothing answers at ") == true)
  }

  @Test func `a check for monitoring has one line and a code for each verdict`() async throws {
    let (down, why) = try await talk("status --check", to: nil)
    #expect(down?.rawValue == 2 && why.error.isEmpty)
    #expect(why.out.hasPrefix("down: darkroomd is not running: "))
    let (degraded, words) = try await talk("status --check", terminal: true, to: ScriptedDaemon())
    #expect(degraded?.rawValue == 1)
    #expect(words.out == "degraded: \(Samples.status.degraded[0])\n")
    var well = Samples.status
    well.degraded = []
    #expect(HealthCheck.judge(well).verdict.code.rawValue == 0)
    #expect(HealthCheck.ok.line(HealthCheck.judge(well).why) == "ok: darkroomd 1.0 is running\n")
    well.state = "waiting: no space left on device"
    #expect(HealthCheck.judge(well).verdict == .degraded)
    well.state = "stopping"
    #expect(HealthCheck.judge(well).verdict == .down)
    #expect(HealthCheck.judge(.silent(path: "/p", process: nil, seconds: 8)).verdict == .down)
    #expect(HealthCheck.judge(.notAllowed(path: "/p", user: nil)).verdict.code.rawValue == 3)
    let (_, json) = try await talk("status --check", json: true, to: nil)
    #expect(try JSONReader.read(Array(json.out.utf8)).object?["health"] == "down")
  }

  @Test func `a change of the class answers with the class`() async throws {
    let command = "quality summer background"
    let (code, words) = try await talk(command, terminal: true, to: ScriptedDaemon())
    #expect(code == .done)
    #expect(
      words.out.hasPrefix("The class of ")
        && words.out.hasSuffix(" is \(Samples.list.serviceClass).\n"))
  }

  @Test
  func `any other command without a daemon ends with 7`() async throws {
    let (code, words) = try await talk("list", json: true, to: nil)
    #expect(code == .unreachable)
    #expect(words.out.isEmpty)
    #expect(words.error.filter { $0 == "\n" }.count == 1)
  }

  @Test
  func `with --json each command writes one object on one line`() async throws {
    let commands = ["status", "", "list", "show 17", "pause 17", "resume 17"]
    for command in commands {
      let daemon = ScriptedDaemon(photos: Samples.photos)
      let (code, words) = try await talk(command, json: true, to: daemon)
      #expect(code == .done)
      #expect(words.out.filter { $0 == "\n" }.count == 1)
      let value = try JSONReader.read(Array(words.out.utf8))
      #expect(value.object != nil)
      if command == "status" { #expect(value.object?["running"] == true) }
      if command == "show 17" { #expect(value.object?["photos"]?.array?.count == 3) }
    }
  }

  @Test func `photos that come page by page, some pages empty, are one result`() async throws {
    let photos = Samples.photos
    let pages = [[], [photos[0]], [], Array(photos[1...]), []]
    let order = "show 17"
    let whole = try await talk(order, json: true, to: ScriptedDaemon(photos: photos))
    let paged = try await talk(order, json: true, to: ScriptedDaemon(pages: pages))
    #expect(paged.words.out == whole.words.out && photos.count > 1)
    let text = try await talk(order, json: false, to: ScriptedDaemon(photos: photos))
    #expect(
      try await talk(order, json: false, to: ScriptedDaemon(pages: pages)).words.out
        == text.words.out)
  }

  /// The pages that the tool asked for meanwhile begin too late.
  @Test(arguments: ["show 17", "show 17 --state new"])
  func `pages that end early are one result, and the pages behind them are as long again`(
    line: String
  ) async throws {
    let daemon = CutDaemon(total: 5000, longFrom: 2000, to: 3000)
    let words = try await run(line + " --json", with: daemon).words
    let photos = try JSONReader.read(Array(words.out.utf8)).object?["photos"]?.array ?? []
    #expect(photos.map { $0.object?["number"]?.int } == (1...5000).map { $0 })
  }

  @Test func `watch shows transfers until the daemon goes`() async throws {
    let (code, words) = try await talk("watch", terminal: true, to: ScriptedDaemon())
    #expect(code == .unreachable)
    let lines = words.out.split(separator: "\n").map(String.init)
    #expect(lines.first?.hasPrefix("summer [") == true)
    #expect(lines[1].split(separator: " ") == ["PHOTO", "FROM", "BYTES", "OF", "RATE", "LEFT"])
    #expect(
      lines[2] == "Mill and 1 more  photos.example.org       1.0 MiB  4.0 MiB  512.0 KiB/s   6 s")
    #expect(lines[3].hasSuffix("0 B                 0 B/s"))
  }

  @Test func `watch writes one report after the other without a terminal and as JSON`()
    async throws
  {
    let (_, plain) = try await talk("watch", to: ScriptedDaemon())
    #expect(
      plain.out.hasSuffix(
        "transfer\t17\t3\tMill\t2\tphotos.example.org\t1048576\t4194304\t524288\t6\n"
          + "transfer\t17\t4\tLake\t1\tphotos.example.org:8443\t0\t0\t0\t\n"))
    let (_, json) = try await talk("watch", json: true, to: ScriptedDaemon())
    let transfers = try JSONReader.read(Array(json.out.utf8)).object?["transfers"]?.array
    #expect(transfers?.count == 2)
  }

  @Test func `a drain can wait until the node has no photos left, and an unknown node is an error`()
    async throws
  {
    let (code, words) = try await talk(
      "drain --now --wait beta", terminal: true,
      to: ScriptedDaemon())
    #expect(code == .done && words.out == "delta takes no new photos, and has none left.\n")
    let (refused, reason) = try await talk(
      "drain betta", to: ScriptedDaemon())
    #expect(refused != .done)
    #expect(
      reason.error == "darkroomctl: Could not drain 'betta': the ledger knows no node 'betta'\n")
  }

  @Test func `the cache is described in words and in columns`() async throws {
    let (code, words) = try await talk(
      "cache", terminal: true, to: ScriptedDaemon())
    #expect(code == .done)
    #expect(
      words.out
        == "The cache holds 12 originals, 3.0 MiB of 1.0 GiB.\n"
        + "Since the start: 7 hits, 5 misses.\n")
    let (_, plain) = try await talk("cache", to: ScriptedDaemon())
    #expect(plain.out == "limit\t1073741824\nentries\t12\nbytes\t3145728\nhits\t7\nmisses\t5\n")
    let (refused, reason) = try await talk("cache clear", to: ScriptedDaemon())
    #expect(refused == .notPermitted)
    #expect(reason.error.hasPrefix("darkroomctl: Could not empty the cache: "))
  }

  @Test
  func `a refusal ends with its code and one line`() async throws {
    let (code, words) = try await talk("cancel x", to: ScriptedDaemon())
    #expect(code == .noSuchList)
    #expect(
      words.error == "darkroomctl: Could not cancel 'x': there is no list 'x'; "
        + "'darkroomctl list' shows all lists, and 'darkroomctl inbox' files that wait or were rejected\n"
    )
    let (failed, reason) = try await talk("reload", to: ScriptedDaemon())
    #expect(failed == .failed)
    #expect(
      reason.error
        == "darkroomctl: Could not reload the settings: line 3 of darkroomd.conf\n")
  }

  private func final(_ state: ListState, failed: UInt32) -> ListSummary {
    var list = Samples.list
    list.state = state.name
    list.end.isReturned = true
    list.new = 0
    list.downloaded = 0
    list.failed = failed
    list.filtered = list.total - failed
    return list
  }

  @Test(
    "the exit code of waiting is that of the list",
    arguments: [
      (ListState.finished, UInt32(0), ExitCode.done), (.finished, 2, .failed),
      (.cancelled, 0, .cancelled),
    ])
  func wait(state: ListState, failed: UInt32, code: ExitCode) async throws {
    let end = final(state, failed: failed)
    let order = "wait 17"
    let (result, words) = try await run(order, terminal: true, with: WaitedDaemon(end: end))
    #expect(result == code)
    let reasons =
      failed == 0
      ? ""
      : """
      2 photos, 'barn' among them: http.404: it answered 404
        If it is there now, do it again; otherwise correct the list, not its retry list, and drop it
      To do it again: darkroomctl --root \(place.path) retry summer

      """
    // The path of the folder is long, so the last line is folded.
    let expected = ListText.sentence(end) + ".\n" + reasons
    #expect(
      words.out.split(whereSeparator: \.isWhitespace)
        == expected.split(whereSeparator: \.isWhitespace))
    #expect(words.error.contains("\r\u{1B}[Jsummer [################------"))
    #expect(words.error.hasSuffix("\r\u{1B}[J"))
  }

  @Test
  func `waiting ends with 8 after the time-out`() async throws {
    let order = "wait 17 --timeout 0"
    let (code, words) = try await talk(order, to: ScriptedDaemon(holding: true))
    #expect(code == .timeIsOver)
    #expect(words.error.filter { $0 == "\n" }.count == 1)
  }

  private func waitForAll(
    _ names: [String], _ daemon: WaitedDaemon, limits: ControlLimits = ControlLimits()
  ) async throws -> (code: ExitCode?, words: SpokenWords) {
    try await run(
      (["wait"] + names).joined(separator: " "), with: daemon, limits: limits)
  }

  @Test func `waiting for many lists takes few connections`() async throws {
    // The daemon may accept the next callers before it sees that the last ones have left.
    let limits = ControlLimits(clients: 2 * WaitRun.most + 1, kept: 0)
    let daemon = WaitedDaemon(end: final(.finished, failed: 0))
    let (code, words) = try await waitForAll((1...100).map(String.init), daemon, limits: limits)
    #expect(code == .done, "\(words.error)")
    #expect(words.out.split(separator: "\n").count == 100)
  }

  @Test func `among many lists an unknown one is told before the others end`() async throws {
    let daemon = WaitedDaemon(end: final(.finished, failed: 0), isEndless: true)
    let (code, words) = try await waitForAll((1...20).map(String.init) + ["nemo"], daemon)
    #expect(code == .noSuchList && words.error.contains("nemo"), "\(words.error)")
    #expect(words.out.isEmpty)
  }

  @Test func `a pattern means the files of the inbox as well, and each list once`() async throws {
    let daemon = InboxDaemon(end: final(.finished, failed: 0))
    let order = "wait w*"
    let (code, _) = try await run(order, with: daemon)
    // The list 1 is older than the file of its name, and the list 4 was a file a moment ago.
    #expect(code == .done && daemon.followed == ["2", "4", "w1", "w3"])
  }

  @Test func `a pattern is refused while not all files of the inbox are known`() async throws {
    let daemon = InboxDaemon(end: final(.finished, failed: 0), more: 1)
    let order = "wait w*"
    let (code, words) = try await run(order, with: daemon)
    #expect(code != .done && words.error.contains("the inbox has 1 more file"), "\(words.error)")
  }
}

/// Files become lists while the caller asks. Concurrency: the lock guards the counts.
private final class InboxDaemon: ControlService {
  private let end: ListSummary
  private let more: UInt64
  private let state = Mutex<(looks: Int, followed: Set<String>)>((0, []))

  init(end: ListSummary, more: UInt64 = 0) { (self.end, self.more) = (end, more) }

  var followed: [String] { state.withLock { $0.followed.sorted() } }

  private func list(_ id: UInt64, _ name: String, _ listState: ListState) -> ListSummary {
    var list = Samples.list
    (list.id, list.name, list.state) = (id, name, listState.name)
    return list
  }

  func handle(_ call: any ControlMethod, from peer: ControlPeer) async -> ControlReply {
    switch call {
    case is ListsOrder:
      let looks = state.withLock { state in
        state.looks += 1
        return state.looks
      }
      let lists = [list(1, "w1", .finished), list(2, "w2", .running), list(3, "x", .running)]
      return .answer(ListsReply(looks == 1 ? lists : lists + [list(4, "w4", .accepted)]))
    case is InboxOrder:
      let names = ["w1", "w3", "w4", "y"]
      return .answer(
        InboxReply(
          InboxReport(
            files: names.map {
              InboxFile(name: "\($0).plist", fate: .waiting, becomes: $0, for: 0)
            },
            more: more)))
    default: return .failed(.notPossible(why: "only waiting is served"))
    }
  }

  func stream(
    _ call: any ControlMethod, from peer: ControlPeer, to caller: ReplyStream
  ) async -> ControlReply {
    if let order = call as? ShowOrder {
      state.withLock { _ = $0.followed.insert(order.list.text) }
    }
    return .answer(ShowReport(list: end))
  }
}

/// Sends a running list twice, then its end. It knows lists 1 to 100.
private struct WaitedDaemon: ControlService {
  let end: ListSummary
  /// No list ends before its caller leaves.
  var isEndless = false

  func handle(_ call: any ControlMethod, from peer: ControlPeer) async -> ControlReply {
    if call is ListsOrder {
      return .answer(
        ListsReply(
          (1...100 as ClosedRange<UInt64>).map { number in
            var list = Samples.list
            (list.id, list.name) = (number, "list \(number)")
            return list
          }))
    }
    guard let order = call as? ShowOrder, order.state == .failed else {
      return .failed(.notPossible(why: "only waiting is served"))
    }
    // Two pages.
    let photo = PhotoSummary(
      number: order.offset + 1, name: "barn", url: "", state: .failed, code: "http.404",
      reason: "it answered 404")
    var report = ShowReport(list: end, photos: [photo])
    report.more = order.offset == 0 ? 1 : nil
    return .answer(report)
  }

  func stream(
    _ call: any ControlMethod, from peer: ControlPeer, to caller: ReplyStream
  ) async -> ControlReply {
    if let order = call as? ShowOrder, order.list == ListReference("nemo") {
      return .failed(.noSuchList(name: "nemo", near: nil))
    }
    // The stream is over when the task is cancelled.
    if isEndless { for await _ in AsyncStream(Void.self, { _ in }) {} }
    _ = await caller.send(.answer(ShowReport(list: Samples.list)))
    _ = await caller.send(.answer(ShowReport(list: Samples.list)))
    return .answer(ShowReport(list: end))
  }
}

/// A list of which some photos are so long that a page has 300 of them.
private struct CutDaemon: ControlService {
  let total: UInt32
  let long: Range<UInt32>

  init(total: UInt32, longFrom first: UInt32, to end: UInt32) {
    (self.total, long) = (total, first..<end)
  }

  func handle(_ call: any ControlMethod, from peer: ControlPeer) async -> ControlReply {
    guard let order = call as? ShowOrder else { return .failed(.methodNotFound("")) }
    let most = long.contains(order.offset) ? min(300, order.limit) : order.limit
    let end = min(total, order.offset + most)
    let photos = (order.offset..<end).map {
      PhotoSummary(number: $0 + 1, name: "a", url: "", state: .new)
    }
    var list = Samples.list
    list.total = total
    return .answer(ShowReport(list: list, photos: photos, more: end < total ? end : nil))
  }
}
