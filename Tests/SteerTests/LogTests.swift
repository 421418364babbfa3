// SPDX-License-Identifier: Apache-2.0
// `log`: where the messages of a daemon are, which of them are about a list, and their text.

import Foundation
import JournalReader
import Linux
import Steer
import Support
import Testing
import Vocabulary

@testable import darkroomctl

struct LogPlaceTests {
  private static func daemon(
    unit: String? = nil, userUnit: String? = nil, errors: String? = "socket:[1]"
  ) -> ProcessFacts {
    var facts = ProcessFacts(number: 42, user: 1000)
    (facts.unit, facts.userUnit, facts.standardError) = (unit, userUnit, errors)
    return facts
  }

  private static func place(_ socket: String, _ process: ProcessFacts? = nil) -> LogPlace {
    .of(socket: socket, home: "/home/anna", user: 1000, process: { _ in process })
  }

  private static func system(_ units: [String]) -> LogPlace {
    .journald(
      [units.map { "_SYSTEMD_UNIT=\($0)" }, ["_PID=1"] + units.map { "UNIT=\($0)" }], user: nil)
  }

  private static let own = LogPlace.journald(
    [
      ["_SYSTEMD_USER_UNIT=darkroom.service", "_UID=1000"],
      ["USER_UNIT=darkroom.service", "_UID=1000"],
    ],
    user: 1000)

  @Test func `a service and an instance are found by their units, also when they do not run`() {
    let service = Self.system(["darkroom.service", "darkroom-hooks.service"])
    #expect(Self.place(ToolOrder.systemSocket) == service)
    let instance = Self.system(["darkroom@archive.service", "darkroom-hooks@archive.service"])
    #expect(Self.place("/var/lib/darkroom@archive/control") == instance)
  }

  @Test func `below another root the process tells the unit, or where its messages go`() {
    let root = "/home/anna/darkroom/control"
    #expect(Self.place(root) == Self.own)
    let running = Self.daemon(unit: "user@1000.service", userUnit: "darkroom.service")
    #expect(Self.place("/srv/d/control", running) == Self.own)
    #expect(
      Self.place("/srv/d/control", Self.daemon(unit: "run-u7.service"))
        == Self.system(["run-u7.service"]))
    #expect(
      Self.place("/srv/d/control", Self.daemon()) == .journald([["_PID=42"]], user: nil))
    #expect(
      Self.place(root, Self.daemon(unit: "session-3.scope", errors: "/dev/pts/3"))
        == .lines(root: "/home/anna/darkroom", path: "/dev/pts/3"))
    #expect(Self.place("/srv/d/control") == .lines(root: "/srv/d", path: nil))
  }

  @Test(
    "the units of a process are read from its control groups",
    arguments: [
      ("0::/system.slice/darkroom.service\n", "darkroom.service", nil),
      (
        "0::/system.slice/system-darkroom.slice/darkroom@archive.service\n",
        "darkroom@archive.service", nil
      ),
      (
        "0::/user.slice/user-1000.slice/user@1000.service/app.slice/darkroom.service\n",
        "user@1000.service", "darkroom.service"
      ),
      ("0::/user.slice/user-1000.slice/session-3.scope\n", "session-3.scope", nil),
      (
        "7:cpu:/x.service\n1:name=systemd:/system.slice/darkroom.service\n0::/\n",
        "darkroom.service", nil
      ),
      ("0::/\n", nil, nil), ("", nil, nil), ("nonsense\n::\n", nil, nil),
    ] as [(String, String?, String?)])
  func units(groups: String, unit: String?, userUnit: String?) {
    let units = ProcessFacts.units(groups)
    #expect(units.unit == unit && units.userUnit == userUnit)
  }

  @Test func `a journal that may not be read is told from one that is missing`() throws {
    let folder = try FreshFolder()
    func look(_ user: UInt32? = nil) -> JournaldRights {
      .look(user: user, in: ["\(folder.path)/none", folder.path])
    }
    #expect(look() == .missing)
    _ = try folder.folder.openFolder(FileName(literal: "0123"), creating: true)
    #expect(look() == .missing)
    try folder.write([], to: "0123/user-7.journal")
    #expect(look() == .missing && look(7) == .allowed)
    try folder.write([], to: "0123/system.journal")
    #expect(look() == .allowed)
  }
}

struct LogSubjectTests {
  private static func list(_ id: UInt64, _ name: String, accepted: UInt64) -> ListSummary {
    ListSummary(
      id: id, name: name, title: "", owner: 1, state: .finished, serviceClass: .default, total: 1,
      new: 0, downloaded: 0, filtered: 1, failed: 0, accepted: accepted)
  }

  private static let lists = [
    list(3, "barn", accepted: 300), list(5, "mill", accepted: 500), list(9, "barn", accepted: 900),
  ]

  private static func record(_ time: UInt64, _ list: UInt64?) -> LogRecord {
    var record = LogRecord(time: time, priority: 6, message: "")
    record.list = list
    return record
  }

  @Test func `a list has the records of its number, and of its file`() throws {
    let subject = LogSubject.list(ListReference("barn"), Self.lists[2], among: Self.lists)
    let condition = try #require(subject.conditions.first)
    #expect(subject.conditions.count == 1 && condition.count == 3)
    #expect(condition[0] == ["LIST_ID=9"])
    #expect(condition[1].contains("LIST_NAME=barn.plist"))
    #expect(condition[2].contains("FILE_NAME=barn.plist"))
    #expect(condition[2].contains("FILE_NAME=barn.retry.plist"))
  }

  @Test(
    "a number is a list until it is accepted, a name also the files that come later",
    arguments: [("9", false), ("barn", true), ("barn.plist", true)])
  func time(text: String, isOpen: Bool) {
    let subject = LogSubject.list(ListReference(text), Self.lists[2], among: Self.lists)
    // Before the list of the same name, between the two, and after the list.
    #expect(!subject.covers(Self.record(200, nil)))
    #expect(subject.covers(Self.record(600, nil)))
    #expect(subject.covers(Self.record(1000, 10)) == isOpen)
    #expect(subject.covers(Self.record(1000, 9)))
  }

  @Test func `an unknown list is looked for by its number and by all its names`() throws {
    var subject = LogSubject.unknown(ListReference("17"))
    subject.add(photo: "Mill\n")
    #expect(subject.conditions.first?.first == ["LIST_ID=17"])
    #expect(subject.conditions.first?.last?.contains("FILE_NAME=17") == true)
    #expect(subject.conditions.last == [["PHOTO_NAME=Mill\\n"]])
    #expect(subject.covers(Self.record(1, nil)))
    var other = LogSubject.unknown(ListReference("barn.json"))
    other.add(photo: "3")
    #expect(other.conditions.first?.first?.contains("LIST_NAME=barn") == true)
    #expect(other.conditions.last == [["PHOTO_ID=3"]])
    #expect(LogSubject.everything.covers(Self.record(1, nil)))
  }
}

struct LogTextTests {
  private static let records: [LogRecord] = {
    var accepted = LogRecord(
      time: ScreenDaemon.start, priority: 5, message: "Accepted list 'summer': 100 photos.")
    (accepted.kind, accepted.list, accepted.name) = (
      "26845c5acfdd428ea85984ca745b36a0", 17, "summer"
    )
    var failed = LogRecord(
      time: ScreenDaemon.start + 61_000, priority: 3,
      message: "Could not download '山の湖' of list 'summer' from photos.example.org: "
        + "photos.example.org answered 404 Not Found; giving up.")
    (failed.kind, failed.list, failed.name) = ("100dcb05ca1f49ff8129abae2bcd42ae", 17, "summer")
    (failed.photo, failed.photoName, failed.host) = (3, "山の湖", "photos.example.org")
    (failed.code, failed.reason) = ("http.404", "photos.example.org answered 404 Not Found")
    failed.advice = "Correct the URL in the list, and drop the list again."
    failed.explanation = "Subject: Photo failed\n\nThe other photos of the list are not affected.\n"
    var waits = LogRecord(
      time: ScreenDaemon.start + 62_000, priority: 4,
      message:
        "Could not take 'a.plist' from the inbox: permission denied; it waits. Make it readable.")
    waits.advice = "Make it readable."
    let foreign = LogRecord(
      time: ScreenDaemon.start + 63_000, priority: 6, message: "hook\u{1B}[31m \\ done")
    return [accepted, failed, waits, foreign]
  }()

  @Test(
    arguments: [
      ("80", ToolScreen(isTerminal: true)), ("pipe", ToolScreen(isTerminal: false)),
      ("plain", .plain),
    ])
  func `the whole text of log is as expected`(form: String, screen: ToolScreen) throws {
    let text = LogText(screen) {
      DateText.utc(milliseconds: $0).replacing("T", with: " ").replacing("Z", with: "")
    }
    try ScreenTests.expect(Self.records.map(text.text).joined(), as: "log.\(form)")
  }

  @Test func `the JSON of log is as documented`() {
    let objects = Self.records.map { JSONWriter.text(.object($0.object)) }
    #expect(
      objects[0] == """
        {"time":1763712000000,"priority":5,"message":"Accepted list 'summer': 100 photos.",\
        "kind":"26845c5acfdd428ea85984ca745b36a0","list":17,"name":"summer"}
        """)
    let page = Repository.text("man/darkroomctl.1")
    for name in Self.records[1].object.members.map(\.name) {
      #expect(page.contains(" \(name) ") || page.contains(" \(name)\n"), "\(name)")
    }
  }
}

struct LogRunTests {
  private func run(_ place: LogPlace) throws -> (code: ExitCode, words: SpokenWords) {
    let words = SpokenWords()
    let talk = DaemonTalk(
      order: try ToolArguments.read(["log"]), voice: words.voice(), clock: FixedTime(),
      users: { _ in nil }, caller: 0)
    return (LogRun(LogTask(), talk, at: place, localTime: { "\($0)" }).run(), words)
  }

  @Test func `a daemon that was started by hand has no messages in journald`() throws {
    let (code, words) = try run(.lines(root: "/srv/d", path: "/tmp/a.log"))
    #expect(code == .failed && words.out.isEmpty)
    #expect(
      words.error
        == "darkroomctl: the messages of the darkroomd at /srv/d do not go to journald but to its "
        + "standard error, /tmp/a.log\n")
    let (_, stopped) = try run(.lines(root: "/srv/d", path: nil))
    #expect(stopped.error.contains("no darkroomd runs at /srv/d; the messages of one that was"))
  }
}
