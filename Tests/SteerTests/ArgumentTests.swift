// SPDX-License-Identifier: Apache-2.0
// The command lines that people type, and the errors for wrong ones.

import Steer
import Testing
import Vocabulary

@testable import darkroomctl

struct ArgumentTests {
  private static let summer = ListReference("summer")

  private static let everyLog: LogTask = {
    var task = LogTask(list: ListReference("17"), photo: "3")
    (task.follows, task.lines, task.explains) = (true, 5, true)
    return task
  }()

  private static func photos(_ list: ListReference, _ state: SeenState? = nil) -> ShowOrder {
    ShowOrder(list: list, limit: ShowOrder.highestLimit, state: state)
  }

  private static func value<Task>(_ words: [String], as: Task.Type = Task.self) throws -> Task? {
    try ToolArguments.read(words).task.value as? Task
  }

  private static func words(_ line: String) -> [String] {
    line.split(separator: " ").map(String.init)
  }

  @Test(
    "a command line is understood",
    arguments: [
      ("status", Read("status", false)), ("status --check", Read("status", true)),
      ("config", Read("config")), ("", Read("")),
      ("--json", Read("", isJSON: true)),
      ("list --json", Read("list", ListFilter(), isJSON: true)),
      ("--json list", Read("list", ListFilter(), isJSON: true)),
      ("list --plain", Read("list", ListFilter(), isPlain: true)),
      ("--no-pager show summer", Read("show", photos(summer), usesPager: false)),
      (
        "list --state running,paused --user anna",
        Read("list", ListFilter(states: [.running, .paused], user: "anna"))
      ),
      ("--root /srv/d status", Read("status", false, socket: "/srv/d/control")),
      ("status --root=here/", Read("status", false, socket: "here/control")),
      ("status --socket /run/x", Read("status", false, socket: "/run/x")),
      ("show summer", Read("show", photos(summer))),
      ("show --state failed 17", Read("show", photos(ListReference("17"), .failed))),
      ("wait summer 17", Read("wait", WaitTask([summer, ListReference("17")]))),
      ("wait --timeout 5min summer", Read("wait", WaitTask([summer], timeout: .seconds(300)))),
      ("pause --all", Read("pause", ListChoice.all(user: nil))),
      ("resume --user anna", Read("resume", ListChoice.all(user: "anna"))),
      ("cancel --user 1000", Read("cancel", ListChoice.all(user: "1000"))),
      ("pause summer", Read("pause", ListChoice.one(summer))),
      ("resume summer", Read("resume", ListChoice.one(summer))),
      ("cancel summer", Read("cancel", ListChoice.one(summer))),
      ("remove summer", Read("remove", [summer])),
      (
        "prune --older-than 30d --state cancelled --dry-run t*",
        Read(
          "prune",
          PruneTask(
            lists: [ListReference("t*")], filter: ListFilter(states: [.cancelled]),
            age: .seconds(30 * 86400), isRehearsal: true))
      ),
      ("sheet summer", Read("sheet", summer)),
      ("open summer", Read("open", OpenTask(list: summer))),
      (
        "open --address https://a.example summer",
        Read("open", OpenTask(list: summer, address: "https://a.example"))
      ),
      ("retry summer", Read("retry", RetryOrder(list: summer))),
      ("retry summer 3 5-7", Read("retry", RetryOrder(list: summer, photos: ["3", "5-7"]))),
      ("quality 17 background", Read("quality", ClassTask(ListReference("17"), .background))),
      ("why 17", Read("why", WhyOrder(list: ListReference("17")))),
      ("why summer Mill", Read("why", WhyOrder(list: summer, photo: "Mill"))),
      ("focus 17", Read("focus", FocusOrder(list: ListReference("17")))),
      (
        "focus summer 3 10-20 Barn --for 5min",
        Read("focus", FocusOrder(list: summer, photos: ["3", "10-20", "Barn"], seconds: 300))
      ),
      ("unfocus summer", Read("unfocus", summer)),
      ("reload", Read("reload")), ("nodes", Read("nodes")),
      ("drain beta", Read("drain", DrainTask(DrainOrder(node: "beta")))),
      (
        "drain --now beta --wait",
        Read("drain", DrainTask(DrainOrder(node: "beta", isNow: true), waits: true))
      ),
      ("drain --off beta", Read("drain", DrainTask(DrainOrder(node: "beta", isOff: true)))),
      ("pause -- --json", Read("pause", ListChoice.one(ListReference("--json")))),
      ("journal verify", Read("journal", JournalTask(.verify))),
      ("journal dump /srv/s", Read("journal", JournalTask(.dump, folder: "/srv/s"))),
      (
        "--root /srv/d journal stat",
        Read("journal", JournalTask(.stat, folder: "/srv/d/state"), socket: "/srv/d/control")
      ),
      ("log", Read("log", LogTask())), ("log summer", Read("log", LogTask(list: summer))),
      ("log summer Mill", Read("log", LogTask(list: summer, photo: "Mill"))),
      ("-f log -n5 -x 17 3", Read("log", everyLog, usesPager: false)),
      ("log 17 3 --follow --lines=5 --explain", Read("log", everyLog, usesPager: false)),
      ("check a.plist", Read("check", "a.plist")), ("help", Read("help", String?.none)),
      ("completion zsh", Read("completion", ShellCompletion.zsh)),
      ("--help", Read("help", String?.none)), ("wait -h", Read("help", String?("wait"))),
      ("help wait", Read("help", String?("wait"))), ("--version", Read("--version")),
    ])
  func understood(line: String, read: Read) throws {
    #expect(try Read(ToolArguments.read(Self.words(line))) == read)
  }

  @Test
  func `submit takes a file, standard input or URLs, with options of the list`() throws {
    #expect(
      try Self.value(["submit", "a.csv"]) == SubmitTask(.file("a.csv")))
    #expect(try Self.value(["submit", "-"]) == SubmitTask(.standardInput))
    let urls = ["https://a.example/1.jpg", "http://b.example/2"]
    #expect(try Self.value(["submit"] + urls) == SubmitTask(.urls(urls)))
    let pictures = ["a.jpg", "/b/C.PNG"]
    #expect(
      try Self.value(["submit"] + pictures) == SubmitTask(.pictures(pictures)))
    var task = SubmitTask(.file("a.plist"))
    (task.name, task.waits) = ("Holiday", true)
    task.timeout = .seconds(60)
    task.options.filter = .sepia(thousandths: 500)
    (task.options.quality, task.options.metadata) = (.level(85), .strip)
    task.options.serviceClass = .utility
    let line =
      "submit --name Holiday --timeout 1min --filter sepia(50%) --quality 85 --metadata strip"
      + " --quality-of-service utility a.plist"
    #expect(try Self.value(Self.words(line)) == task)
  }

  @Test
  func `develop takes a quality and a rule for metadata`() throws {
    var task = DevelopTask(files: ["a.jpg"])
    #expect(task.quality == .source && task.metadata == .keep)
    (task.quality, task.metadata) = (.level(85), .copyright)
    let line = "develop --quality 85 --metadata=copyright a.jpg"
    #expect(try Self.value(Self.words(line)) == task)
    task.quality = .source
    let plain = "develop --quality source --metadata copyright a.jpg"
    #expect(try Self.value(Self.words(plain)) == task)
  }

  @Test
  func `develop takes files, a folder, a filter and force`() throws {
    var task = DevelopTask(files: ["a.jpg", "b.png"])
    #expect(try Self.value(["develop", "a.jpg", "b.png"]) == task)
    task.folder = "out"
    task.filter = .sepia(thousandths: 500)
    task.isReplacing = true
    task.jobs = 3
    let line = "develop -o out --filter sepia(50%) a.jpg --force -j 3 b.png"
    #expect(try Self.value(Self.words(line)) == task)
    let short = line.replacing("-j 3", with: "-j3").replacing("-o out", with: "-oout")
    #expect(try Self.value(Self.words(short)) == task)
  }

  @Test(
    "a wrong command line gives an error of one line",
    arguments: [
      ("--check", "'--check' needs a command; 'darkroomctl help' shows the commands"),
      ("--state new", "'--state' needs a command; 'darkroomctl help' shows the commands"),
      ("lsit", "there is no command 'lsit' (did you mean 'list'?)"),
      ("stat", "there is no command 'stat' (did you mean 'status'?)"),
      ("frobnicate", "there is no command 'frobnicate'; 'darkroomctl help' shows them all"),
      ("a\u{1B}[31m", "there is no command 'a\\x1b[31m'; 'darkroomctl help' shows them all"),
      (
        "list --jsno",
        "'list' has no option '--jsno' (did you mean '--json'?); see 'darkroomctl help list'"
      ),
      (
        "--jsno list",
        "'list' has no option '--jsno' (did you mean '--json'?); see 'darkroomctl help list'"
      ),
      ("list -y", "'list' has no option '-y'; see 'darkroomctl help list'"),
      ("--jsno", "there is no option '--jsno' (did you mean '--json'?)"),
      ("-y", "there is no option '-y'; 'darkroomctl help' shows them all"),
      ("list --json --plain", "'--json' and '--plain' exclude each other; use only one of them"),
      (
        "list --state running,lost",
        "'lost' is not valid for '--state': use some of accepted, running, paused, finished, cancelled"
      ),
      ("list --root", "'--root' needs a value"),
      ("list --root=", "'--root' needs a value"),
      ("list --json=yes", "'--json' takes no value"),
      ("list --force", "'--force' is not an option of 'list'; see 'darkroomctl help list'"),
      ("show", "'show' needs a list's name or number; see 'darkroomctl help show'"),
      ("show a b", "'show' does not take 'b'; see 'darkroomctl help show'"),
      ("status now", "'status' does not take 'now'; see 'darkroomctl help status'"),
      (
        "show --state lost a",
        "'lost' is not valid for '--state': use one of new, downloaded, filtered, failed, unknown"
      ),
      (
        "wait --timeout soon a",
        "'soon' is not valid for '--timeout': use seconds or a unit, such as 90, 90s, 5min, 2h or 1d"
      ),
      (
        "develop --filter blur(3) a",
        "'blur(3)' is not valid for '--filter': there is no filter 'blur'; "
          + "the only one is sepia(AMOUNT)"
      ),
      (
        "develop --quality 0 a",
        "'0' is not valid for '--quality': the quality is a whole number from 1 to 100, or source"
      ),
      (
        "develop -j 0 a",
        "'0' is not valid for '--jobs': use a number from 1 to 256"
      ),
      (
        "submit",
        "'submit' needs a list, pictures or a folder of them, URLs, or '-' for standard input; see 'darkroomctl help submit'"
      ),
      (
        "submit a.txt b.txt",
        "'submit' does not take 'b.txt' beside the others: it takes one list, one folder, pictures, or URLs; see "
          + "'darkroomctl help submit'"
      ),
      (
        "show --state faild a",
        "'faild' is not valid for '--state': use one of new, downloaded, filtered, failed, unknown (did you mean 'failed'?)"
      ),
      (
        "list --state finishd",
        "'finishd' is not valid for '--state': use some of accepted, running, paused, finished, cancelled "
          + "(did you mean 'finished'?)"
      ),
      (
        "submit --quality-of-service fast a",
        "'fast' is not valid for '--quality-of-service': use one of userInteractive, "
          + "userInitiated, default, utility, background"
      ),
      (
        "develop --metadata none a",
        "'none' is not valid for '--metadata': use keep, strip or copyright"
      ),
      (
        "completion bsh",
        "'bsh' is not valid for 'SHELL': use one of bash, zsh, fish (did you mean 'bash'?)"
      ),
      (
        "prune --dry-run",
        "'prune' needs --older-than, --state, --user or LIST, where '*' means every list; see 'darkroomctl help prune'"
      ),
      (
        "prune --older-than 30",
        "'30' is not valid for '--older-than': use a number and a unit, such as 12h or 30d"
      ),
      (
        "prune --state running",
        "'running' is not valid for '--state': use some of finished, cancelled"
      ),
      ("log a b c", "'log' does not take 'c'; see 'darkroomctl help log'"),
      ("log -n ten", "'ten' is not valid for '--lines': use a number, or all"),
      ("show a -f", "'-f' is not an option of 'show'; see 'darkroomctl help show'"),
      (
        "list --root a --socket b",
        "'--root' and '--socket' exclude each other; use only one of them"
      ),
    ])
  func refused(line: String, words: String) {
    let error = #expect(throws: TextProblem.self) {
      try ToolArguments.read(Self.words(line))
    }
    #expect(error?.description == words)
  }

  @Test(
    "log shows everything, or the last ten messages if it follows",
    arguments: [
      ("log", nil), ("log -f", 10), ("log -n 3", 3), ("log -f -n 0", 0), ("log -f -n all", nil),
    ] as [(String, Int?)])
  func lines(line: String, count: Int?) throws {
    let task: LogTask? = try Self.value(Self.words(line))
    #expect(try #require(task).count == count)
  }

  @Test func `DARKROOM_ROOT stands for an absent --root`() throws {
    for (line, socket) in [
      ("status", "/srv/d/control"), ("--root /srv/e status", "/srv/e/control"),
      ("--socket /run/s status", "/run/s"),
    ] {
      let order = try ToolArguments.read(Self.words(line), defaultRoot: "/srv/d/")
      #expect(Read(order) == Read("status", false, socket: socket))
    }
    let journal = try ToolArguments.read(["journal", "stat"], defaultRoot: "/srv/d")
    #expect(journal.task.value as? JournalTask == JournalTask(.stat, folder: "/srv/d/state"))
    #expect(
      try Read(ToolArguments.read(["list"], defaultRoot: "")) == Read("list", ListFilter()))
  }

  @Test("every command is in the overview and has its own help")
  func help() {
    for command in ToolCommand.all {
      #expect(HelpText.overview.contains("  \(command.name) "))
      #expect(HelpText.text(command).hasPrefix("Usage: darkroomctl \(command.name)"))
    }
  }

  @Test func `options of one name all take a value, or none does`() {
    for option in ToolOption.everyOne {
      let same = ToolOption.everyOne.filter { other in other.names.contains(where: option.isWritten)
      }
      #expect(Set(same.map { $0.value == nil }).count == 1, "\(option.name)")
    }
  }

  @Test(
    "amounts are shown in words",
    arguments: [
      (Amounts.bytes(0), "0 B"), (Amounts.bytes(1023), "1023 B"), (Amounts.bytes(1536), "1.5 KiB"),
      (Amounts.bytes(19_922_944), "19.0 MiB"), (Amounts.bytes(5 << 50), "5120.0 TiB"),
      (Amounts.bytes(.max), "16777215.9 TiB"), (Amounts.span(milliseconds: 999), "0 s"),
      (Amounts.span(milliseconds: 185_000), "3 min 5 s"),
      (Amounts.span(milliseconds: 7_200_000), "2 h 0 min"),
      (Amounts.span(milliseconds: 370_800_000), "4 d 7 h"),
    ])
  func amounts(shown: String, words: String) {
    #expect(shown == words)
  }

  @Test(
    "text that is not a duration is refused",
    arguments: ["", "s", "5x", "-1", "1.5h", "9223372036854775807h", "367d", " 5"])
  func durations(text: String) {
    #expect(Amounts.duration(text) == nil)
  }
}

/// The order that a command line gives, for comparisons. A command without words has no value.
struct Read: Equatable, Sendable {
  let command: String
  let value: any Sendable
  let socket: String
  let forms: [Bool]

  init(
    _ command: String, _ value: any Sendable = (), socket: String = ToolOrder.systemSocket,
    isJSON: Bool = false, isPlain: Bool = false, usesPager: Bool = true
  ) {
    (self.command, self.value, self.socket) = (command, value, socket)
    forms = [isJSON, isPlain, usesPager]
  }

  init(_ order: ToolOrder) {
    self.init(
      order.task.command.name, order.task.value, socket: order.socket, isJSON: order.isJSON,
      isPlain: order.isPlain, usesPager: order.usesPager)
  }

  private static func isSame<Value: Equatable>(_ value: Value, _ other: any Sendable) -> Bool {
    other as? Value == value
  }

  static func == (one: Read, other: Read) -> Bool {
    guard one.command == other.command, one.socket == other.socket, one.forms == other.forms
    else { return false }
    guard let value = one.value as? any Equatable else { return other.value is Void }
    return isSame(value, other.value)
  }
}
