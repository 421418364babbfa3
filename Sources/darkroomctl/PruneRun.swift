// SPDX-License-Identifier: Apache-2.0
// `prune`: removes lists that are over, as `remove` does, but none without results; or shows them first. The daemon
// waits for the copy and the results of a list that has just ended, and tells why it does not remove one. The oldest
// list goes first, because the newest of a name takes its earlier lists along. Raises `ControlFailure`, and `TextProblem`
// while it reads.

internal import Steer
internal import Vocabulary

struct PruneTask: Equatable, Sendable {
  /// A list fits if it is one of these; any list if there are none.
  var lists: [ListReference] = []
  var filter = ListFilter()
  /// The least time since the end of a list.
  var age: Duration?
  /// Only shows the lists.
  var isRehearsal = false
}

extension ToolOption {
  static let age = Self("--older-than", "only lists that ended so long ago", value: .nothing)
  static let ends = Self(
    "--state", "only lists that ended so",
    value: .someOf(ListState.allCases.filter(\.isFinal).map(\.name)))
  static let rehearsal = Self("--dry-run", "show the lists, and remove nothing")
}

extension ToolArguments {
  func prune() throws(TextProblem) -> PruneTask {
    var task = PruneTask(lists: words.map { ListReference($0) }, isRehearsal: has(.rehearsal))
    task.filter.user = value(.user)
    for name in value(.ends)?.split(separator: ",", omittingEmptySubsequences: false) ?? [] {
      guard let state = ListState(rawValue: String(name)), state.isFinal else {
        let known = ListState.allCases.filter(\.isFinal).map(\.name)
        throw .unknownValue(String(name), of: "--state", "use some of", known)
      }
      task.filter.states.insert(state)
    }
    if let text = value(.age) {
      // A number alone could mean seconds or days.
      guard let age = Duration(written: text[...]), Int64(text) == nil else {
        throw .badValue(
          option: "--older-than", value: text, why: "use a number and a unit, such as 12h or 30d")
      }
      task.age = age
    }
    if task == PruneTask(isRehearsal: task.isRehearsal) {
      throw .missingWord(
        command: command,
        what: "--older-than, --state, --user or LIST, where '*' means every list")
    }
    return task
  }
}

struct PruneRun {
  let talk: DaemonTalk

  func run(_ task: PruneTask) throws(ControlFailure) -> ExitCode {
    let all = try talk.ask(ListsOrder()).lists
    if let code = talk.refuse(task.filter.user, among: all) { return code }
    let lists = try pick(task, among: all)
    if task.isRehearsal { return tell(lists, frees: room(of: lists, among: all)) }
    return try talk.changeEach(
      lists.map { (ListReference("\($0.id)"), ListText.name($0)) }, .remove, none: Self.none,
      isSparing: true)
  }

  private static let none = "There is no such list that is over.\n"

  /// The oldest first.
  private func pick(_ task: PruneTask, among all: [ListSummary]) throws(ControlFailure)
    -> [ListSummary]
  {
    var filter = task.filter
    filter.user = talk.changeable(by: filter.user)
    let old = try task.age.map { age throws(ControlFailure) in try aged(age) }
    var lists = filter.pick(all, users: talk.users).filter { list in
      list.isFinal && old?.contains(list.id) != false
    }
    if !task.lists.isEmpty {
      var named: Set<UInt64> = []
      let own = ListFilter(user: filter.user).pick(all, users: talk.users)
      for reference in task.lists {
        named.formUnion(try numbers(reference, among: reference.number == nil ? own : all))
      }
      lists.removeAll { !named.contains($0.id) }
    }
    return lists.sorted { $0.id < $1.id }
  }

  /// The daemon notices if the clock was set, and then judges no age.
  private func aged(_ age: Duration) throws(ControlFailure) -> Set<UInt64> {
    Set(try talk.ask(AgedOrder(age: age)).lists.map(\.id))
  }

  /// All lists of the name or the pattern.
  private func numbers(_ reference: ListReference, among lists: [ListSummary])
    throws(ControlFailure) -> [UInt64]
  {
    let lists = lists.map { (id: $0.id, name: $0.name, owner: $0.owner, isFinal: $0.isFinal) }
    do throws(ControlError) { return try reference.every(among: lists) } catch {
      throw .refused(talk.judged(error, reference))
    }
  }

  // MARK: the rehearsal

  /// The bytes of the prints that go; nil if the daemon does not tell them all. Prints that a later list of the name has
  /// taken over stay as long as that list, and are counted with it.
  private func room(of lists: [ListSummary], among all: [ListSummary]) -> UInt64? {
    var bytes: UInt64 = 0
    for list in lists where list.end.printsExpired == nil {
      let isNewest = !all.contains {
        $0.id > list.id && $0.owner == list.owner && OutsideText.isSame($0.name, list.name)
      }
      guard isNewest else { continue }
      var page: ShowOrder? = ShowOrder(
        list: ListReference("\(list.id)"), limit: ShowOrder.highestLimit, state: .filtered)
      while let asked = page {
        guard let report = try? talk.ask(asked) else { return nil }
        for photo in report.photos { bytes &+= photo.bytes }
        page = report.page(after: asked)
      }
    }
    return bytes
  }

  private func tell(_ lists: [ListSummary], frees bytes: UInt64?) -> ExitCode {
    var object = JSONObject(["lists": .array(lists.map { .object($0.object) })])
    object["bytes"] = bytes.map { .count($0) }
    let screen = talk.voice.screen
    let table = ListText.table(
      lists, screen, now: talk.clock.wallTime(), users: talk.users)
    let room = bytes.map { ", and free about \(Amounts.bytes($0)) of prints" } ?? ""
    let waiting = lists.count { !$0.end.isReturned }
    let rest =
      waiting == 0
      ? ""
      : "The files of \(Amounts.counted(waiting, "list")) are not all in done yet, and the daemon may keep "
        + "\(waiting == 1 ? "it" : "them").\n"
    let words = "This would remove \(Amounts.counted(lists.count, "list"))\(room).\n\(rest)"
    talk.tell(
      .object(object), screen.isPlain ? table : lists.isEmpty ? Self.none : "\(table)\n\(words)")
    return .done
  }
}
