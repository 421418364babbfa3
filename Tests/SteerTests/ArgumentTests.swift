// SPDX-License-Identifier: Apache-2.0
// The command lines that people type, and the errors for wrong ones.

import Steer
import Testing
import Vocabulary
import darkroomctl

struct ArgumentTests {
  private static let summer = ListReference("summer")

  private static let everyLog: LogTask = {
    var task = LogTask(list: ListReference("17"), photo: "3")
    (task.follows, task.lines, task.explains) = (true, 5, true)
    return task
  }()

  private static func words(_ line: String) -> [String] {
    line.split(separator: " ").map(String.init)
  }

  @Test(
    "a command line is understood",
    arguments: [
      ("status", ToolOrder(.status)), ("status --check", ToolOrder(.health)),
      ("config", ToolOrder(.config)), ("", ToolOrder(.brief)),
      ("--json", ToolOrder(.brief, isJSON: true)),
      ("list --json", ToolOrder(.list(ListFilter()), isJSON: true)),
      ("--json list", ToolOrder(.list(ListFilter()), isJSON: true)),
      ("list --plain", ToolOrder(.list(ListFilter()), isPlain: true)),
      ("--no-pager show summer", ToolOrder(.show(summer, state: nil), usesPager: false)),
      (
        "list --state running,paused --user anna",
        ToolOrder(.list(ListFilter(states: [.running, .paused], user: "anna")))
      ),
      ("--root /srv/d status", ToolOrder(.status, socket: "/srv/d/control")),
      ("status --root=here/", ToolOrder(.status, socket: "here/control")),
      ("status --socket /run/x", ToolOrder(.status, socket: "/run/x")),
      ("show summer", ToolOrder(.show(summer, state: nil))),
      ("show --state failed 17", ToolOrder(.show(ListReference("17"), state: .failed))),
      ("wait summer 17", ToolOrder(.wait([summer, ListReference("17")], timeout: nil))),
      ("wait --timeout 5min summer", ToolOrder(.wait([summer], timeout: .seconds(300)))),
      ("pause --all", ToolOrder(.changeAll(.pause, user: nil))),
      ("resume --user anna", ToolOrder(.changeAll(.resume, user: "anna"))),
      ("cancel --user 1000", ToolOrder(.changeAll(.cancel, user: "1000"))),
      ("pause summer", ToolOrder(.pause(summer))), ("resume summer", ToolOrder(.resume(summer))),
      ("cancel summer", ToolOrder(.cancel(summer))),
      ("remove summer", ToolOrder(.remove(summer))),
      ("sheet summer", ToolOrder(.sheet(summer))),
      ("open summer", ToolOrder(.open(OpenTask(list: summer)))),
      (
        "open --address https://a.example summer",
        ToolOrder(.open(OpenTask(list: summer, address: "https://a.example")))
      ),
      ("retry summer", ToolOrder(.retry(RetryOrder(list: summer)))),
      ("retry summer 3 5-7", ToolOrder(.retry(RetryOrder(list: summer, photos: ["3", "5-7"])))),
      ("quality 17 background", ToolOrder(.quality(ListReference("17"), .background))),
      ("why 17", ToolOrder(.why(WhyOrder(list: ListReference("17"))))),
      ("why summer Mill", ToolOrder(.why(WhyOrder(list: summer, photo: "Mill")))),
      ("focus 17", ToolOrder(.focus(FocusOrder(list: ListReference("17"))))),
      (
        "focus summer 3 10-20 Barn --for 5min",
        ToolOrder(.focus(FocusOrder(list: summer, photos: ["3", "10-20", "Barn"], seconds: 300)))
      ),
      ("unfocus summer", ToolOrder(.unfocus(summer))),
      ("reload", ToolOrder(.reload)), ("nodes", ToolOrder(.nodes)),
      ("drain beta", ToolOrder(.drain(DrainTask(DrainOrder(node: "beta"))))),
      (
        "drain --now beta --wait",
        ToolOrder(.drain(DrainTask(DrainOrder(node: "beta", isNow: true), waits: true)))
      ),
      ("drain --off beta", ToolOrder(.drain(DrainTask(DrainOrder(node: "beta", isOff: true))))),
      ("pause -- --json", ToolOrder(.pause(ListReference("--json")))),
      ("journal verify", ToolOrder(.journal(JournalTask(.verify)))),
      ("journal dump /srv/s", ToolOrder(.journal(JournalTask(.dump, folder: "/srv/s")))),
      (
        "--root /srv/d journal stat",
        ToolOrder(.journal(JournalTask(.stat, folder: "/srv/d/state")), socket: "/srv/d/control")
      ),
      ("log", ToolOrder(.log(LogTask()))), ("log summer", ToolOrder(.log(LogTask(list: summer)))),
      ("log summer Mill", ToolOrder(.log(LogTask(list: summer, photo: "Mill")))),
      ("-f log -n5 -x 17 3", ToolOrder(.log(everyLog))),
      ("log 17 3 --follow --lines=5 --explain", ToolOrder(.log(everyLog))),
      ("check a.plist", ToolOrder(.check(file: "a.plist"))), ("help", ToolOrder(.help(nil))),
      ("--help", ToolOrder(.help(nil))), ("wait -h", ToolOrder(.help(.wait))),
      ("help wait", ToolOrder(.help(.wait))), ("--version", ToolOrder(.version)),
    ])
  func understood(line: String, order: ToolOrder) throws {
    #expect(try ToolArguments.read(Self.words(line)) == order)
  }

  @Test
  func `submit takes a file, standard input or URLs, with options of the list`() throws {
    #expect(
      try ToolArguments.read(["submit", "a.csv"]).command == .submit(SubmitTask(.file("a.csv"))))
    #expect(try ToolArguments.read(["submit", "-"]).command == .submit(SubmitTask(.standardInput)))
    let urls = ["https://a.example/1.jpg", "http://b.example/2"]
    #expect(try ToolArguments.read(["submit"] + urls).command == .submit(SubmitTask(.urls(urls))))
    let pictures = ["a.jpg", "/b/C.PNG"]
    #expect(
      try ToolArguments.read(["submit"] + pictures).command
        == .submit(SubmitTask(.pictures(pictures))))
    var task = SubmitTask(.file("a.plist"))
    (task.name, task.waits) = ("Holiday", true)
    task.timeout = .seconds(60)
    task.options.filter = .sepia(thousandths: 500)
    (task.options.quality, task.options.metadata) = (.level(85), .strip)
    task.options.serviceClass = .utility
    let line =
      "submit --name Holiday --timeout 1min --filter sepia(50%) --quality 85 --metadata strip"
      + " --quality-of-service utility a.plist"
    #expect(try ToolArguments.read(Self.words(line)).command == .submit(task))
  }

  @Test
  func `develop takes a quality and a rule for metadata`() throws {
    var task = DevelopTask(files: ["a.jpg"])
    #expect(task.quality == .source && task.metadata == .keep)
    (task.quality, task.metadata) = (.level(85), .copyright)
    let line = "develop --quality 85 --metadata=copyright a.jpg"
    #expect(try ToolArguments.read(Self.words(line)) == ToolOrder(.develop(task)))
    task.quality = .source
    let plain = "develop --quality source --metadata copyright a.jpg"
    #expect(try ToolArguments.read(Self.words(plain)) == ToolOrder(.develop(task)))
  }

  @Test
  func `develop takes files, a folder, a filter and force`() throws {
    var task = DevelopTask(files: ["a.jpg", "b.png"])
    #expect(try ToolArguments.read(["develop", "a.jpg", "b.png"]).command == .develop(task))
    task.folder = "out"
    task.filter = .sepia(thousandths: 500)
    task.isReplacing = true
    task.jobs = 3
    let line = "develop -o out --filter sepia(50%) a.jpg --force -j 3 b.png"
    #expect(try ToolArguments.read(Self.words(line)).command == .develop(task))
    let short = line.replacing("-j 3", with: "-j3").replacing("-o out", with: "-oout")
    #expect(try ToolArguments.read(Self.words(short)).command == .develop(task))
  }

  @Test(
    "a wrong command line gives an error of one line",
    arguments: [
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
        "'lost' is not valid for '--state': use one of new, downloaded, filtered, failed"
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
        "'faild' is not valid for '--state': use one of new, downloaded, filtered, failed (did you mean 'failed'?)"
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
      ("log a b c", "'log' does not take 'c'; see 'darkroomctl help log'"),
      ("log -n ten", "'ten' is not valid for '--lines': use a number, or all"),
      ("show a -f", "'-f' is not an option of 'show'; see 'darkroomctl help show'"),
      (
        "list --root a --socket b",
        "'--root' and '--socket' exclude each other; use only one of them"
      ),
    ])
  func refused(line: String, words: String) {
    let error = #expect(throws: UsageError.self) {
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
    guard case .log(let task) = try ToolArguments.read(Self.words(line)).command else {
      throw UsageError.twoForms
    }
    #expect(task.count == count)
  }

  @Test func `DARKROOM_ROOT stands for an absent --root`() throws {
    for (line, socket) in [
      ("status", "/srv/d/control"), ("--root /srv/e status", "/srv/e/control"),
      ("--socket /run/s status", "/run/s"),
    ] {
      let order = try ToolArguments.read(Self.words(line), defaultRoot: "/srv/d/")
      #expect(order == ToolOrder(.status, socket: socket))
    }
    let journal = try ToolArguments.read(["journal", "stat"], defaultRoot: "/srv/d")
    #expect(journal.command == .journal(JournalTask(.stat, folder: "/srv/d/state")))
    #expect(try ToolArguments.read(["list"], defaultRoot: "") == ToolOrder(.list(ListFilter())))
  }

  @Test("every command is in the overview and has its own help")
  func help() {
    for command in CommandName.allCases {
      #expect(HelpText.overview.contains("  \(command.rawValue) "))
      #expect(HelpText.text(command).hasPrefix("Usage: darkroomctl \(command.rawValue)"))
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
