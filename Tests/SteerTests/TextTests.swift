// SPDX-License-Identifier: Apache-2.0
// The output of the tool, word for word: on a terminal, in a pipe, in colour.

import Steer
import Testing
import Vocabulary
import darkroomctl

struct TextTests {
  private static let now: UInt64 = 1_763_712_345_000 + 3_700_000
  private static let terminal = ToolScreen(isTerminal: true, columns: 100)
  private static let pipe = ToolScreen(isTerminal: false)

  private static func users(_ user: UInt32) -> String? { user == 1000 ? "anna" : nil }

  private static let lists: [ListSummary] = {
    var other = Samples.list
    other.id = 4
    other.name = "山の写真"
    other.owner = 77
    other.state = "paused"
    other.failed = 0
    return [Samples.list, other]
  }()

  @Test
  func `status on a terminal`() {
    #expect(
      StatusText.text(Samples.status, Self.terminal, now: Self.now, users: Self.users)
        == """
        darkroomd 1.0 is running, started 1 h 7 min ago
             lists  2 lists are not finished
            photos  90 waiting, 6 begun
             begun  4 downloading, 2 filtering, 0 writing
             inbox  /var/spool/darkroom/inbox
            prints  /var/lib/darkroom/prints
            memory  19.0 MiB
           sandbox  seccomp, landlock, no network
           waiting  photos.example.org answered 503 Service Unavailable; next attempt now
                    and 2 more hosts
          degraded  no right to take leases: lists are accepted after a quiet time

        """)
  }

  @Test
  func `paused lists are counted with their owners`() {
    var report = Samples.status
    report.work.pausedLists = 6
    report.work.paused = [PausedLists(owner: 1000, lists: 3), PausedLists(owner: 77, lists: 2)]
    let text = StatusText.text(report, Self.terminal, now: Self.now, users: Self.users)
    #expect(
      text.contains(
        "\n    paused  6 lists wait for resume: 3 of anna, 2 of user 77, 1 of other users\n"))
    let plain = StatusText.text(report, Self.pipe, now: Self.now, users: Self.users)
    #expect(
      plain.contains("pausedLists\t6\n") && plain.contains("paused\t1000\t3\npaused\t77\t2\n"))
  }

  @Test
  func `a start that waits for its disk does not claim that there are no lists`() {
    var report = Samples.status
    report.work.areKnown = false
    let text = StatusText.text(report, Self.terminal, now: Self.now, users: Self.users)
    #expect(text.contains("\n     lists  not known yet: ") && !text.contains("photos  "))
    let plain = StatusText.text(report, Self.pipe, now: Self.now, users: Self.users)
    #expect(plain.contains("listsKnown\tno\n"))
  }

  @Test
  func `photos between two steps are counted`() {
    var report = Samples.status
    report.work.photosRunning = 46
    report.work.downloads = 0
    let text = StatusText.text(report, Self.terminal, now: Self.now, users: Self.users)
    #expect(text.contains("photos  90 waiting, 46 begun\n"))
    #expect(
      text.contains("begun  0 downloading, 2 filtering, 0 writing, 44 between two steps\n"))
  }

  @Test func `a node tells its link to the ledger, and what it has not told`() {
    var report = Samples.status
    func row(_ cluster: ClusterSummary) -> String? {
      report.cluster = cluster
      let text = StatusText.text(
        report, ToolScreen(isTerminal: true, columns: 200), now: 1_763_712_400_000
      ) { _ in nil }
      return text.split(separator: "\n").first { $0.contains("cluster") }.map { String($0) }
    }
    #expect(row(ClusterSummary(node: "alpha")) == "   cluster  node alpha, connected to the ledger")
    let short = ClusterSummary(node: "alpha", shortage: "no node takes new photos: a is drained")
    #expect(
      row(short)?.hasPrefix("   cluster  node alpha, connected to the ledger; no node") == true)
    #expect(
      row(Samples.waiting)
        == "   cluster  node alpha, waiting for the ledger since 12 s: the ledger does not answer; "
        + "120 photos wait to be told")
    let plain = StatusText.text(report, ToolScreen(isTerminal: false), now: 0) { _ in nil }
    #expect(
      plain.contains("cluster\talpha\t1763712388000\t120\tthe ledger does not answer\n"))
  }

  @Test func `a flush and a watch name the trouble for which work waits`() {
    let hold = "the proxy p:1 refused the connection"
    #expect(StatusText.flushed(0, named: nil, hold: hold) == "Trying again now: \(hold).\n")
    #expect(
      StatusText.flushed(2, named: nil, hold: hold)
        == "Retrying 2 hosts that did not answer.\nTrying again now: \(hold).\n")
    #expect(
      StatusText.flushed(0, named: "h", hold: hold).hasSuffix(
        "Work waits: \(hold). 'darkroomctl flush' without a host tries again now.\n"))
    let screen = ToolScreen(isTerminal: true, columns: 80, rows: 24)
    let text = WatchText.text(WatchReport(lists: [Samples.list]), screen, hold: hold)
    #expect(text.hasSuffix("\nwaiting: \(hold)\n"))
  }

  @Test(
    "a flush says what it did, and claims nothing about a host that is not known",
    arguments: [
      (0, nil, "No trouble with any host is known.\n"),
      (0, "example.org", "No trouble with example.org is known, and no photo is tried earlier.\n"),
      (0, "a\u{1B}[2J", "No trouble with a\\x1b[2J is known, and no photo is tried earlier.\n"),
      (1, "example.org", "Retrying 1 host that did not answer.\n"),
      (3, nil, "Retrying 3 hosts that did not answer.\n"),
    ] as [(Int, String?, String)])
  func flushed(_ hosts: Int, _ host: String?, _ sentence: String) {
    #expect(StatusText.flushed(hosts, named: host) == sentence)
  }

  @Test(
    "the sentence about a list counts prints, not failures, as its result",
    arguments: [
      (100, 40, 2, "summer (list 17) is finished: 40 of 100 photos filtered, 2 failed"),
      (60, 0, 60, "summer (list 17) is finished: 0 of 60 photos filtered, 60 failed"),
      (60, 60, 0, "summer (list 17) is finished: 60 of 60 photos filtered"),
      (1, 0, 1, "summer (list 17) is finished: 0 of 1 photo filtered, 1 failed"),
    ] as [(UInt32, UInt32, UInt32, String)])
  func sentence(_ total: UInt32, _ filtered: UInt32, _ failed: UInt32, _ sentence: String) {
    var list = Samples.list
    (list.name, list.state) = ("summer", "finished")
    (list.total, list.filtered, list.failed) = (total, filtered, failed)
    #expect(ListText.sentence(list) == sentence)
  }

  @Test
  func `a list tells when its prints go, and that they have gone`() {
    var list = Samples.list
    (list.state, list.filtered, list.failed) = ("finished", 100, 0)
    list.end.printsExpire = Self.now + 3 * 86_400_000
    #expect(
      PhotoText.head(list, Self.terminal, now: Self.now, users: Self.users)
        .hasSuffix("\nits prints expire in 3 d 0 h (KeepPrints=)\n"))
    #expect(!ListText.sentence(list).contains("KeepPrints="))
    (list.end.printsExpire, list.end.printsExpired) = (nil, Self.now - 2 * 86_400_000)
    #expect(
      PhotoText.head(list, Self.terminal, now: Self.now, users: Self.users)
        .hasSuffix("\nits prints expired 2 d 0 h ago (KeepPrints=)\n"))
    #expect(
      ListText.sentence(list)
        == "summer (list 17) is finished: 100 of 100 photos filtered; its prints have expired (KeepPrints=)"
    )
    #expect(
      ListText.plain(list).hasSuffix(
        "\t2025-11-21T08:05:45Z\t\(DateText.utc(milliseconds: Self.now - 2 * 86_400_000))\n"))
  }

  @Test
  func `one photo is not called photos`() {
    var list = Samples.list
    (list.total, list.filtered, list.failed, list.downloaded, list.new) = (1, 0, 1, 0, 0)
    let head = PhotoText.head(list, Self.terminal, now: Self.now, users: Self.users)
    #expect(head.hasSuffix("\n1 photo: 0 filtered, 1 failed, 0 downloaded, 0 new\n"))
  }

  @Test
  func `status in a pipe`() {
    #expect(
      StatusText.text(Samples.status, Self.pipe, now: Self.now, users: Self.users) == """
        version\t1.0
        state\trunning
        since\t2025-11-21T08:00:00Z
        lists\t2
        listsKnown\tyes
        pausedLists\t0
        photosWaiting\t90
        photosRunning\t6
        downloads\t4
        filters\t2
        outputs\t0
        inbox\t/var/spool/darkroom/inbox
        prints\t/var/lib/darkroom/prints
        residentBytes\t19922944
        sandbox\tseccomp, landlock, no network
        waitingFiles\t0
        unreadableFiles\t0
        degraded\tno right to take leases: lists are accepted after a quiet time
        host\tphotos.example.org\thttp.503\t4\t1763712300000\t1763712400000\t\
        photos.example.org answered 503 Service Unavailable
        moreHosts\t2

        """)
  }

  @Test
  func `lists are in columns, even with wide characters, and have owners if there are several`() {
    let text = """
      ID  NAME      OWNER  STATE      DONE  FAILED  TIME
      17  summer    anna   running  42/100       2
       4  山の写真  77     paused   40/100       0

      """
    for screen in [Self.terminal, Self.pipe] {
      let lists = Array(Self.lists.reversed())
      #expect(ListText.table(lists, screen, now: Self.now, users: Self.users) == text)
      #expect(
        ListText.table([], screen, now: Self.now, users: Self.users) == "There are no lists.\n")
    }
    let own = ListText.table([Samples.list], Self.terminal, now: Self.now, users: Self.users)
    #expect(own.hasPrefix("ID  NAME    STATE  "))
  }

  @Test(
    "the time left is shown where the pace is known, and the age of an end",
    arguments: [
      ("running", 7200, 0, "29 s left"), ("running", 0, 0, ""), ("paused", 7200, 0, ""),
      ("finished", 0, 1_763_712_345_000, "ended 1 h 1 min ago"), ("finished", 0, 0, ""),
    ] as [(String, UInt64, UInt64, String)])
  func time(_ state: String, _ pace: UInt64, _ ended: UInt64, _ words: String) {
    var list = Samples.list
    (list.state, list.ended, list.pace.photosPerHour) = (state, ended, pace)
    let text = ListText.table([list], Self.pipe, now: Self.now, users: Self.users)
    #expect(text.hasSuffix("       2\(words.isEmpty ? "" : "  " + words)\n"), "\(text)")
  }

  @Test
  func `lists for programs have fixed columns and no heading`() {
    #expect(
      ListText.table(Self.lists, .plain, now: Self.now, users: Self.users) == """
        17\tsummer\t1000\trunning\tutility\t100\t40\t2\t2025-11-21T08:05:45Z
        4\t山の写真\t77\tpaused\tutility\t100\t40\t0\t2025-11-21T08:05:45Z

        """)
    #expect(ListText.table([], .plain, now: Self.now, users: Self.users).isEmpty)
  }

  @Test
  func `lists are picked by state and user`() {
    let lists = Array(Self.lists.reversed())
    func picked(_ filter: ListFilter) -> [UInt64] {
      filter.pick(lists, users: Self.users).map(\.id)
    }
    #expect(picked(ListFilter()) == [4, 17])
    #expect(picked(ListFilter(states: [.paused, .finished])) == [4])
    #expect(picked(ListFilter(user: "anna")) == [17] && picked(ListFilter(user: "77")) == [4])
    #expect(picked(ListFilter(states: [.paused], user: "anna")).isEmpty)
  }

  private static let photoTime: UInt64 = 1_763_712_390_000

  private func photos(_ photos: [PhotoSummary], _ screen: ToolScreen) -> String {
    var text = PhotoText(screen)
    return text.page(photos, now: Self.photoTime)
  }

  @Test
  func `a list and its photos are the same text on a terminal and in a pipe`() {
    let text = """
      summer (list 17): Summer 2025
      running, utility, accepted 1 h 1 min ago for anna
      100 photos: 40 filtered, 2 failed, 8 downloaded, 50 new

      NUMBER  STATE     NAME      SIZE   PIXELS  PRINT OR REASON
           1  filtered  Barn  37.2 KiB  800×600  Barn.jpg
           2  failed    Lake                     http.404: the origin has no such file
           3  new       Mill                     http.503: the origin is busy; next attempt in 9 s

      """
    for screen in [ToolScreen(isTerminal: true, columns: 100), Self.pipe] {
      #expect(
        PhotoText.head(Samples.list, screen, now: Self.now, users: Self.users)
          + photos(Samples.photos, screen) == text)
    }
  }

  @Test
  func `a long list has one heading, and its columns only grow`() {
    var text = PhotoText(Self.pipe)
    let first = text.page([Samples.photos[0]], now: Self.photoTime)
    var long = Samples.photos[0]
    (long.number, long.name) = (2000, "The old barn")
    let second = text.page([long], now: Self.photoTime)
    let third = text.page([Samples.photos[0]], now: Self.photoTime)
    let none = text.page([], now: Self.photoTime)
    #expect(first.contains("NUMBER") && none.isEmpty)
    #expect(second == "  2000  filtered  The old barn  37.2 KiB  800×600  Barn.jpg\n")
    #expect(third == "     1  filtered  Barn          37.2 KiB  800×600  Barn.jpg\n")
  }

  @Test
  func `a list and its photos for programs`() {
    #expect(
      PhotoText.head(Samples.list, .plain, now: Self.now, users: Self.users)
        + photos(Array(Samples.photos[1...2]), .plain) == """
          list\t17\tsummer\t1000\trunning\tutility\t100\t40\t2\t2025-11-21T08:05:45Z
          photo\t2\tfailed\tLake\thttps://photos.example.org/lake.png\t3\t0\t0\t0\t\thttp.404\t\
          the origin has no such file\t0
          photo\t3\tnew\tMill\thttps://photos.example.org/mill.jpg\t2\t0\t0\t0\t\thttp.503\t\
          the origin is busy\t1763712399000

          """)
  }

  @Test
  func `every file of the inbox has a line, in a table or in columns`() {
    #expect(
      InboxText.text(Samples.inbox, Self.terminal) == """
        the inbox cannot be watched.
        FATE      NAME          LIST  WHY
        waiting   slow.plist          a program has it open for writing
        ignored   notes.doc           its name does not end in .plist, .json, .csv or .txt
        rejected  bad.plist       18  the file is empty
        accepted  summer.plist    17
        and 3 more

        """)
    #expect(
      InboxText.text(Samples.inbox, Self.pipe) == """
        waiting\tslow.plist\t0\ta program has it open for writing
        ignored\tnotes.doc\t0\tits name does not end in .plist, .json, .csv or .txt
        rejected\tbad.plist\t18\tthe file is empty
        accepted\tsummer.plist\t17\t
        more\t3
        trouble\tthe inbox cannot be watched

        """)
    #expect(InboxText.text(InboxReport(), Self.terminal) == "The inbox is empty.\n")
  }

  @Test
  func `a name cannot control the terminal`() {
    var list = Samples.list
    list.name = "a\u{1B}[2Jb\tc"
    let shown = ListText.table([list], .plain, now: Self.now, users: Self.users)
    #expect(shown.hasPrefix("17\ta\\x1b[2Jb\\tc\t1000"))
  }

  @Test
  func `colour is used only on a screen that has it`() {
    let colourful = ToolScreen(isTerminal: true, hasColour: true)
    #expect(
      photos(Array(Samples.photos[1...1]), colourful).contains("\u{1B}[31mfailed\u{1B}[0m"))
    for screen in [Self.terminal, Self.pipe] {
      let text =
        StatusText.text(Samples.status, screen, now: Self.now, users: Self.users)
        + ListText.table(Self.lists, screen, now: Self.now, users: Self.users)
        + photos(Samples.photos, screen)
      #expect(!text.contains("\u{1B}"))
    }
  }

  @Test(
    "the progress bar fits the width of the screen",
    arguments: [
      (80, "summer [################------------------------] 42/100, 2 failed"),
      (40, "summer [#####--------] 42/100, 2 failed"), (30, "summer 42/100, 2 failed"),
      (12, "summer 42/…"),
    ])
  func bar(columns: Int, line: String) {
    let screen = ToolScreen(isTerminal: true, columns: columns)
    #expect(ProgressBar.line(Samples.list, screen) == line)
    #expect(line.count < columns)
  }

  @Test(
    "the progress bar has the facts for which there is room, the time left first",
    arguments: [
      (
        80,
        "summer [##########---------------] 42/100, 2 failed, 29 s left, 2.0/s, 31.3 MiB"
      ),
      (60, "summer [######---------] 42/100, 2 failed, 29 s left, 2.0/s"),
      (50, "summer [#####-------] 42/100, 2 failed, 29 s left"),
      (40, "summer [#####--------] 42/100, 2 failed"),
    ])
  func facts(columns: Int, line: String) {
    var list = Samples.list
    list.pace = ListPace(bytes: 32_925_286, photosPerHour: 7200)
    #expect(ProgressBar.line(list, ToolScreen(isTerminal: true, columns: columns)) == line)
    #expect(line.count < columns)
  }

  @Test(
    "text is folded between words, and a long word is cut",
    arguments: [
      (30, "a short line", "a short line"),
      (12, "one two three four", "one two\n  three four"),
      (12, "   key  value and more", "   key \n  value and\n  more"),
      (12, "see /srv/darkroom/inbox/a b", "see\n  /srv/darkr\n  oom/inbox/\n  a b"),
      (12, "it took 30 min 5 s, now", "it took\n  30 min\n  5 s, now"),
      (12, "山の写真山の写真", "山の写真山の\n  写真"),
    ])
  func folded(columns: Int, text: String, lines: String) {
    let screen = ToolScreen(isTerminal: true, columns: columns)
    #expect(Prose.folded(text, screen, indent: 2) == lines)
    #expect(Prose.folded(text, Self.pipe, indent: 2) == text)
  }

  /// Thirty lists, and thirty transfers with long names, some of them wide.
  private static let crowd = WatchReport(
    lists: Array(repeating: Samples.list, count: 30),
    transfers: (1...30).map { number in
      TransferSummary(
        list: 17, photo: UInt32(number),
        name: number % 2 == 0 ? "山の写真 \(number)" : "Mill \(number)",
        photos: number, server: "photos-\(number).example.org", received: 1_048_576,
        total: 4_194_304, rate: 524_288)
    })

  @Test(
    "a report of watch fits every screen, since the next one overwrites it",
    arguments: [40, 60, 80, 120, 300], [10, 24, 100])
  func watch(columns: Int, rows: Int) {
    let screen = ToolScreen(isTerminal: true, columns: columns, rows: rows)
    let lists = WatchReport(lists: Self.crowd.lists)
    let transfers = WatchReport(transfers: Self.crowd.transfers)
    for report in [Self.crowd, lists, transfers, Samples.watch] {
      let lines = WatchText.text(report, screen).split(separator: "\n")
      #expect(lines.count < rows, "\(lines)")
      #expect(lines.allSatisfy { TextTable.width(String($0)) <= columns }, "\(lines)")
    }
    let text = WatchText.text(Self.crowd, screen)
    let shown = text.split(separator: "\n").count { $0.hasPrefix("summer [") }
    #expect(shown == 30 || text.contains("and \(30 - shown) more lists\n"), "\(text)")
    #expect(text.hasSuffix(" more\n"), "\(text)")
  }

  @Test func `a narrow table shrinks its wide columns, then leaves spare ones out`() {
    var table = TextTable([
      .init("NAME", least: 6), .init("OWNER", isSpare: true), .init("SIZE", isRight: true),
    ])
    table.add(["a long name", "anna", "9 B"])
    table.add(["山の写真の庭", "berta", "12 B"])
    func lines(_ columns: Int) -> [String] {
      table.text(ToolScreen(isTerminal: true, columns: columns)).split(separator: "\n").map(
        String.init)
    }
    #expect(
      lines(80) == [
        "NAME          OWNER  SIZE", "a long name   anna    9 B", "山の写真の庭  berta  12 B",
      ])
    #expect(lines(20) == ["NAME     OWNER  SIZE", "a long…  anna    9 B", "山の写…  berta  12 B"])
    #expect(lines(15) == ["NAME       SIZE", "a long n…   9 B", "山の写真…  12 B"])
  }

  @Test(
    "the exit code tells scripts what happened",
    arguments: [
      (ControlFailure.notRunning(path: "x"), ExitCode.unreachable), (.lost, .unreachable),
      (.silent(path: "x", process: 7, seconds: 1), .unreachable),
      (.nonsense(why: ""), .unreachable),
      (.notAllowed(path: "x", user: nil), .notPermitted), (.timeIsOver, .timeIsOver),
      (.refused(.noSuchList(name: "a")), .noSuchList),
      (.refused(.listRejected(name: "a", why: "b")), .failed),
      (.refused(.ambiguousList(name: "a", ids: [])), .noSuchList),
      (.refused(.permissionDenied(why: "")), .notPermitted),
      (.refused(.notPossible(why: "")), .failed), (.refused(.reloadFailed(why: "")), .failed),
    ])
  func codes(failure: ControlFailure, code: ExitCode) {
    #expect(ExitCode.of(failure) == code)
  }

  @Test(
    "the errors of a failed call lead to the daemon that was called",
    arguments: [
      (
        ControlFailure.notRunning(path: "/var/lib/darkroom@second/control"),
        "start it with systemctl start darkroom@second"
      ),
      (
        .notRunning(path: "/var/spool/darkroom/control"),
        "leave out --root= and DARKROOM_ROOT, because that daemon answers at /run/darkroom/io.darkroom"
      ),
      (
        .silent(path: "/run/darkroom/io.darkroom", process: 7, seconds: 10),
        "darkroomd (process 7) has not answered for 10 s: it is frozen, stopped or busy; see systemctl "
          + "status darkroom; after systemctl freeze, continue it with systemctl thaw darkroom"
      ),
      (
        .silent(path: "/srv/dark/control", process: 7, seconds: 10),
        "; ps 7 shows its state, and kill -CONT 7 continues a stopped process"
      ),
      (
        .notAllowed(path: "/run/darkroom/io.darkroom", user: "anna"),
        "members of the group darkroom may: an administrator runs usermod -aG darkroom anna, and then "
          + "you log in again"
      ),
      (.notAllowed(path: "/srv/dark/control", user: "anna"), "the members of its group may"),
    ])
  func advice(failure: ControlFailure, words: String) {
    #expect(failure.description.hasSuffix(words), "\(failure)")
  }

  @Test
  func `a hint names the settings and the commands of its daemon`() {
    let second = DaemonPlace(socket: "/var/lib/darkroom@second/control")
    #expect(second.settings == "/etc/darkroom/second.conf")
    let words = "see 'darkroomctl inbox', 'darkroomctl help' and 'darkroomd --check'"
    #expect(
      second.hint(words)
        == "see 'darkroomctl --root /var/lib/darkroom@second inbox', 'darkroomctl help' and "
        + "'darkroomd --root /var/lib/darkroom@second --config /etc/darkroom/second.conf --check'")
    #expect(DaemonPlace(socket: DaemonPlace.systemSocket).hint(words) == words)
  }

  @Test
  func `the errors of a failed call say what to do`() {
    #expect(
      ControlFailure.notRunning(path: "/run/darkroom/io.darkroom").description
        == "darkroomd is not running: nothing answers at /run/darkroom/io.darkroom; start it with "
        + "systemctl start darkroom or darkroomd --root DIR")
    #expect(
      ControlFailure.refused(.ambiguousList(name: "a", ids: [1, 2])).description
        == "several lists are meant by 'a'; use a number instead: 1, 2")
  }
}
