// SPDX-License-Identifier: Apache-2.0
// The commands that query or control the daemon. `run` reports a `ControlFailure` and returns its exit code.
// `Printable` escapes all text from the daemon.

internal import Linux
internal import Steer
package import Vocabulary

package struct DaemonTalk {
  let order: ToolOrder
  let voice: ToolVoice
  let clock: any TimeSource
  let users: @Sendable (UInt32) -> String?
  /// The user who calls.
  let caller: UInt32

  package init(
    order: ToolOrder, voice: ToolVoice, clock: any TimeSource,
    users: @escaping @Sendable (UInt32) -> String?, caller: UInt32
  ) {
    self.order = order
    self.voice = voice.speaking(json: order.isJSON)
    self.clock = clock
    self.users = users
    self.caller = caller
  }

  /// Runs the command and returns its exit code.
  package func run() -> ExitCode {
    do throws(ControlFailure) { return try order.task.work.run(self) } catch { return fail(error) }
  }

  func fail(_ failure: ControlFailure) -> ExitCode {
    guard order.task.command.kind == .state, case .notRunning = failure else {
      voice.complain(Self.code(failure), words(failure))
      return .of(failure)
    }
    if order.isJSON { voice.say(["running": false]) }
    voice.complain(Self.code(failure), words(failure))
    return .notRunning
  }

  /// The code of a failure; an error returned by the daemon keeps its varlink name.
  static func code(_ failure: ControlFailure) -> String {
    switch failure {
    case .notRunning: "daemon.notRunning"
    case .notAllowed: "daemon.notAllowed"
    case .unreachable: "daemon.unreachable"
    case .lost: "daemon.lost"
    case .silent, .slow: "daemon.silent"
    case .nonsense: "daemon.nonsense"
    case .timeIsOver: "wait.timeout"
    case .refused(let error): error.name
    }
  }

  private func words(_ failure: ControlFailure) -> String {
    guard case .refused = failure, let deed = order.task.deed else { return "\(failure)" }
    return "Could not \(deed): \(failure)"
  }

  func ask<Method: ControlMethod>(_ call: Method) throws(ControlFailure) -> Method.Answer {
    try ControlClient(path: order.socket, clock: clock).call(call)
  }

  /// The daemon's judgement of a name that none of its lists has: trouble may hide the list.
  func judged(_ error: ControlError, _ list: ListReference) -> ControlError {
    guard case .noSuchList = error else { return error }
    do throws(ControlFailure) { _ = try ask(ShowOrder(list: list, limit: 0)) } catch {
      if case .refused(let judgement) = error { return judgement }
    }
    return error
  }

  /// Writes a result as JSON or as text.
  func tell(_ value: @autoclosure () -> JSONValue, _ text: @autoclosure () -> String) {
    if order.isJSON { voice.say(value()) } else { voice.say(text()) }
  }

  // MARK: Queries

  func status(isCheck: Bool) throws(ControlFailure) -> ExitCode {
    if isCheck { return health() }
    let report = try ask(StatusOrder()).status
    var object = JSONObject(["running": true])
    for member in report.object.members { object[member.name] = member.value }
    tell(
      .object(object),
      StatusText.text(report, voice.screen, now: clock.wallTime(), users: users))
    return .done
  }

  /// Shorter than the time-out of monitoring systems.
  private static let checkPatience = Duration.seconds(8)

  private func health() -> ExitCode {
    let (verdict, why): (HealthCheck, [String])
    do throws(ControlFailure) {
      let client = try ControlClient(
        path: order.socket, clock: clock, patience: Self.checkPatience,
        silence: Self.checkPatience / 2)
      (verdict, why) = HealthCheck.judge(try client.call(StatusOrder()).status)
    } catch { (verdict, why) = HealthCheck.judge(error) }
    tell(verdict.object(why), verdict.line(why))
    return verdict.code
  }

  /// The state of the daemon, the lists at work, and the first commands.
  func brief() throws(ControlFailure) -> ExitCode {
    let (report, lists) = (try ask(StatusOrder()).status, try ask(ListsOrder()).lists)
    let open = ListFilter().pick(lists, users: users).filter { !$0.isFinal }
    var object = JSONObject(["running": true, "version": .string(report.version)])
    object["state"] = .string(report.state)
    object["lists"] = .array(open.map { .object($0.object) })
    let place = DaemonPlace(socket: order.socket)
    tell(
      .object(object),
      BriefText.text(
        report, lists, voice.screen, at: place, now: clock.wallTime(), users: users))
    return .done
  }

  func list(_ filter: ListFilter) throws(ControlFailure) -> ExitCode {
    let all = try ask(ListsOrder()).lists
    let lists = filter.pick(all, users: users)
    if lists.isEmpty, let code = refuse(filter.user, among: all) { return code }
    tell(
      ["lists": .array(lists.map { .object($0.object) })],
      lists.isEmpty && !voice.screen.isPlain
        ? filter.emptiness
        : ListText.table(lists, voice.screen, now: clock.wallTime(), users: users))
    return .done
  }

  func config() throws(ControlFailure) -> ExitCode {
    let settings = try ask(SettingsOrder()).settings
    tell(
      ["settings": .array(settings.map { .object($0.object) })],
      SettingsText.text(settings, voice.screen))
    return .done
  }

  func inbox() throws(ControlFailure) -> ExitCode {
    let report = try ask(InboxOrder()).inbox
    tell(.object(report.object), InboxText.text(report, voice.screen))
    return .done
  }

  /// Fetches the photos page by page, and writes each page while the daemon prepares the next ones.
  func show(_ first: ShowOrder) throws(ControlFailure) -> ExitCode {
    var client = try ControlClient(path: order.socket, clock: clock)
    var pages = ShowPages(first)
    try client.ask(first)
    var (isFirst, separator) = (true, "")
    var failures = FailureGroups()
    var photos = PhotoText(voice.screen)
    while !pages.isOver {
      let (page, next) = pages.take(try answer(pages.asked, isFirst: isFirst, &client))
      for order in next { try client.ask(order) }
      guard let report = page else { continue }
      if isFirst { say(head: report.list) }
      isFirst = false
      if !order.isJSON {
        voice.say(photos.page(report.photos, now: clock.wallTime()))
        if !voice.screen.isPlain { for photo in report.photos { failures.add(photo) } }
        if pages.isOver {
          say(failures, of: report.list, after: "\n", all: first.state == .failed)
        }
      } else if !report.photos.isEmpty {
        let photos = report.photos.map { JSONWriter.text(.object($0.object)) }
        voice.say(separator + photos.joined(separator: ","))
        separator = ","
      }
    }
    if order.isJSON { voice.say("]}\n") }
    return .done
  }

  func say(
    _ failures: FailureGroups, of list: ListSummary, after start: String = "", all: Bool = false
  ) {
    if failures.isEmpty { return }
    let place = DaemonPlace(socket: order.socket)
    voice.say(start + failures.text(of: list, at: place, voice.screen, all: all))
  }

  /// The failures of a list that is over; none for a list that the daemon has forgotten meanwhile.
  func failures(of list: ListSummary) throws(ControlFailure) -> FailureGroups {
    var groups = FailureGroups()
    var page: ShowOrder? = ShowOrder(
      list: ListReference("\(list.id)"), limit: ShowOrder.highestLimit, state: .failed)
    while let asked = page {
      let report = try ask(asked)
      for photo in report.photos { groups.add(photo) }
      page = report.page(after: asked)
    }
    return groups
  }

  /// The answer to the first of these pages. The daemon drops a caller that does not take its answers, as one
  /// whose output a pager holds back: then the pages are asked for again.
  private func answer(
    _ asked: [ShowOrder], isFirst: Bool, _ client: inout ControlClient
  ) throws(ControlFailure) -> ShowReport {
    do throws(ControlFailure) { return try client.answer(to: asked[0]) } catch {
      guard error == .lost, !isFirst,
        let again = try? ControlClient(path: order.socket, clock: clock)
      else { throw error }
      client = again
      for page in asked { try client.ask(page) }
      return try client.answer(to: asked[0])
    }
  }

  private func say(head list: ListSummary) {
    if order.isJSON {
      let whole = JSONWriter.text(["list": .object(list.object), "photos": []])
      // The photos and the two closing brackets follow.
      voice.say(String(whole.dropLast(2)))
    } else {
      voice.say(PhotoText.head(list, voice.screen, now: clock.wallTime(), users: users))
    }
  }

  // MARK: Control

  func pause(_ lists: ListChoice) throws(ControlFailure) -> ExitCode { try turn(.pause, lists) }

  func resume(_ lists: ListChoice) throws(ControlFailure) -> ExitCode { try turn(.resume, lists) }

  func cancel(_ lists: ListChoice) throws(ControlFailure) -> ExitCode { try turn(.cancel, lists) }

  private func turn(_ turn: ListTurn, _ lists: ListChoice) throws(ControlFailure) -> ExitCode {
    switch lists {
    case .one(let list): try change(turn.call(list))
    case .all(let user): try change(turn, of: user)
    }
  }

  func retry(_ order: RetryOrder) throws(ControlFailure) -> ExitCode { try change(order) }

  /// Of several lists, each is found before the first is removed: a name must not mean an earlier list afterwards.
  func remove(_ lists: [ListReference]) throws(ControlFailure) -> ExitCode {
    guard lists.count > 1 else {
      let reply = try ask(RemoveOrder(list: lists[0]))
      tell(.object(reply.object), removed(reply))
      return .done
    }
    let all = try ask(ListsOrder()).lists
    let known = all.map { (id: $0.id, name: $0.name, owner: $0.owner, isFinal: $0.isFinal) }
    var numbers: Set<UInt64> = []
    var failed = 0
    for list in lists {
      do throws(ControlError) {
        numbers.insert(try list.chooseExactly(among: known, for: caller))
      } catch {
        failed += 1
        let error = judged(error, list)
        voice.complain(error.name, "Could not remove '\(Printable.text(list.text))': \(error)")
      }
    }
    // The newest list of a name takes its earlier lists along.
    let meant = all.filter { numbers.contains($0.id) }.sorted { $0.id < $1.id }
    return try changeEach(
      meant.map { (ListReference("\($0.id)"), ListText.name($0)) }, .remove, none: "",
      failed: failed)
  }

  /// A program that reads lines or objects learns of what stays as well.
  private func removed(_ reply: ListReply) -> String {
    let name = ListText.name(reply.list)
    guard voice.screen.isTerminal else {
      if let rest = reply.rest { voice.complain("list.rest", "Removed \(name): \(rest)") }
      return sentence(reply.list)
    }
    return reply.rest.map { "Removed \(name): \(Printable.sentence($0)).\n" }
      ?? "Removed \(name) with its results and the prints that it still had.\n"
  }

  func quality(_ task: ClassTask) throws(ControlFailure) -> ExitCode {
    try change(SetQualityOrder(list: task.list, level: task.level)) {
      "The class of \(ListText.name($0)) is \(Printable.text($0.serviceClass)).\n"
    }
  }

  /// - Parameter done: what to say in a terminal; the list's state if left out.
  private func change(
    _ call: some ControlMethod<ListReply>, _ done: ((ListSummary) -> String)? = nil
  ) throws(ControlFailure) -> ExitCode {
    let list = try ask(call).list
    let words = voice.screen.isTerminal ? done?(list) : nil
    tell(["list": .object(list.object)], words ?? sentence(list))
    return .done
  }

  /// Shows the path of the first page.
  func sheet(_ list: ListReference) throws(ControlFailure) -> ExitCode {
    let report = try ask(SheetOrder(list: list))
    let count = report.thumbnails
    let made = count == 0 ? "" : "Made \(Amounts.counted(count, "thumbnail")).\n"
    let page = "\(Printable.text(report.page, limit: 4096))\n"
    tell(.object(report.object), voice.screen.isTerminal ? made + page : page)
    return .done
  }

  private func change(_ turn: ListTurn, of user: String?) throws(ControlFailure) -> ExitCode {
    let all = try ask(ListsOrder()).lists
    if let code = refuse(user, among: all) { return code }
    let lists = ListFilter(user: changeable(by: user)).pick(all, users: users)
      .filter(turn.concerns)
    let owner = user.map { " of \(Printable.text($0))" } ?? ""
    return try changeEach(
      lists.map { (ListReference("\($0.id)"), ListText.name($0)) }, turn,
      none: "There is no list\(owner) to \(turn.rawValue).\n")
  }

  /// The user whose lists are meant. Without a name they are those that the caller may change: the daemon would refuse
  /// the lists of other users.
  func changeable(by user: String?) -> String? { user ?? (caller == 0 ? nil : "\(caller)") }

  /// A list that cannot be changed does not keep the others from it.
  /// - Parameter none: what to say in a terminal if there is no list.
  func changeEach(
    _ lists: [(reference: ListReference, name: String)], _ turn: ListTurn, none: String,
    failed before: Int = 0, isSparing: Bool = false
  ) throws(ControlFailure) -> ExitCode {
    let client = try ControlClient(path: order.socket, clock: clock)
    var changed: [JSONObject] = []
    var failed = before
    for list in lists {
      do throws(ControlFailure) {
        let reply = try client.call(turn.call(list.reference, isSparing: isSparing))
        var object = reply.list.object
        if let rest = reply.rest { object["rest"] = .string(rest) }
        changed.append(object)
        if !order.isJSON { voice.say(turn == .remove ? removed(reply) : sentence(reply.list)) }
      } catch {
        guard case .refused = error else { throw error }
        failed += 1
        voice.complain(Self.code(error), "Could not \(turn.rawValue) \(list.name): \(error)")
      }
    }
    if order.isJSON {
      voice.say(["lists": .array(changed.map { .object($0) })])
    } else if voice.screen.isTerminal {
      let lost = failed == 0 ? "" : "; \(turn.rawValue) failed for \(failed)"
      voice.say(
        changed.isEmpty && failed == 0
          ? none : "\(turn.past) \(Amounts.counted(UInt64(changed.count), "list"))\(lost).\n")
    }
    return failed == 0 ? .done : .failed
  }

  /// Complains about the name of a user who neither owns a list nor is known to this machine. A number may be that
  /// of a user who is gone.
  func refuse(_ user: String?, among lists: [ListSummary]) -> ExitCode? {
    guard let user, UInt32(user) == nil else { return nil }
    let owners = Set(lists.compactMap { users($0.owner) })
    if owners.contains(user) || Surroundings.isUser(user) { return nil }
    voice.complain(
      "user.unknown",
      "there is no user '\(Printable.text(user))'\(Suggestion.words(for: user, among: owners))")
    return .failed
  }

  func tell(_ list: ListSummary) { tell(["list": .object(list.object)], sentence(list)) }

  func reload() throws(ControlFailure) -> ExitCode {
    let notes = try ask(ReloadOrder()).notes
    let words = notes.map { Printable.sentence($0) + "\n" }.joined()
    tell(
      ["notes": .array(notes.map { .string($0) })],
      voice.screen.isTerminal ? "The settings were reloaded.\n" + words : words)
    return .done
  }

  func flush(_ host: String?) throws(ControlFailure) -> ExitCode {
    let hosts = try ask(FlushOrder(host: host)).hosts
    let sentence = StatusText.flushed(
      hosts, named: host, hold: voice.screen.isTerminal ? hold() : nil)
    tell(["hosts": .int(Int64(hosts))], voice.screen.isTerminal ? sentence : "\(hosts)\n")
    return .done
  }

  /// The reason for which all work, or the downloads through the proxy, wait. Nil if that is not known.
  func hold() -> String? {
    let client = try? ControlClient(path: order.socket, clock: clock, patience: .seconds(2))
    return try? client?.call(StatusOrder()).status.hold
  }

  func sentence(_ list: ListSummary) -> String {
    voice.screen.isTerminal
      ? Prose.folded(ListText.sentence(list) + ".", voice.screen, indent: 2) + "\n"
      : ListText.plain(list)
  }

  func wait(_ task: WaitTask) throws(ControlFailure) -> ExitCode {
    try wait(task.lists, until: task.timeout.map { clock.uptime() + $0 })
  }

  /// - Parameter deadline: an uptime of the clock.
  func wait(_ lists: [ListReference], until deadline: Duration?) throws(ControlFailure)
    -> ExitCode
  {
    var run = WaitRun(talk: self, deadline: deadline)
    return try run.run(lists)
  }
}
