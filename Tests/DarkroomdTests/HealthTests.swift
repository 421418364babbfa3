// SPDX-License-Identifier: Apache-2.0
// Trouble as a value: reported once when it begins and once when it ends, and shown by subject.

import Accept
import Cluster
import Record
import Report
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct HealthTests {
  private let full = Failure(.machine, code: "disk.full", reason: "no space left on device")
  private let odd = Failure(
    .machine, scope: .one, code: "system.21", reason: "renameat P1.jpg: is a directory")
  private let gone = Failure(.final, code: "list.gone", reason: "open catalog: no such file")

  private func set(
    _ health: inout Health, _ failure: Failure?, _ subject: Health.Subject
  ) -> Notice? {
    health.set(failure, for: subject, inbox: "/inbox")
  }

  @Test func `trouble is reported when it begins and when it ends, not in between`() {
    var health = Health()
    let list = Health.Subject.list(ListID(17))
    #expect(set(&health, nil, list) == nil, "it was well before")
    #expect(
      set(&health, odd, list) == .machineTrouble(odd, waits: "list 17 waits"))
    for _ in 0..<3 { #expect(set(&health, odd, list) == nil) }
    #expect(health.lines == ["list 17 waits: renameat P1.jpg: is a directory"])
    #expect(set(&health, nil, list) != nil)
    #expect(set(&health, nil, list) == nil)
    #expect(health.lines.isEmpty && health == Health())
  }

  @Test func `different trouble of the same subject is reported`() {
    var health = Health()
    _ = set(&health, full, .work)
    let readOnly = Failure(.machine, code: "system.30", reason: "read-only file system")
    #expect(set(&health, readOnly, .work) != nil)
    #expect(health.lines == ["read-only file system"])
  }

  @Test func `trouble of one list concerns neither another list nor all work`() {
    var health = Health()
    _ = set(&health, odd, .list(ListID(1)))
    #expect(health.hold == nil && health[.list(ListID(2))] == nil)
    #expect(
      health.statusLine(Ledger().open) == "list 1 waits: renameat P1.jpg: is a directory.")
    #expect(health.waitingLists == 1)
  }

  @Test func `lists that no node takes are degraded and in trouble, unless the ledger is silent`() {
    var health = Health()
    let drained = Failure(
      .machine, code: "cluster.nodes", reason: "no node takes new photos: a is drained",
      advice: "Start a node")
    _ = set(&health, drained, .nodes)
    let line = "photos of the cluster wait: no node takes new photos: a is drained. Start a node"
    #expect(health.lines == [line] && health.has(.lists))
    #expect(health.statusLine(Ledger().open) == "\(line).")
    _ = set(&health, Failure(.machine, code: "ledger.lost", reason: "no answer"), .ledger)
    #expect(health.lines == ["no answer"])
    #expect(health.statusLine(Ledger().open) == "Waiting: no answer. Every accepted list is done.")
  }

  @Test func `the status line names trouble that holds work first, then the inbox`() {
    var health = Health()
    let inbox = Failure(.machine, code: "inbox.lost", reason: "there is no folder /inbox")
    _ = set(&health, inbox, .inbox)
    #expect(
      health.statusLine(Ledger().open)
        == "Inbox in trouble: there is no folder /inbox. Every accepted list is done.")
    _ = set(&health, full, .downloads)
    #expect(
      health.statusLine(Ledger().open)
        == "Waiting: no space left on device. Every accepted list is done.")
    #expect(health.lines.first == "no space left on device")
  }

  @Test func `a record that is not synced is told for as long as the daemon runs`() throws {
    var settings = Settings()
    #expect(settings.record.weakness == nil && settings.notes.isEmpty)
    settings.record.sync = false
    let weakness = try #require(settings.record.weakness)
    #expect(weakness.words.hasPrefix("Sync=no, so a power cut may lose "))
    #expect(settings.notes == [weakness.words])
    var health = Health()
    #expect(set(&health, weakness, .unsynced) == nil, "the start has noted it")
    #expect(health.lines == [weakness.words] && health.has(.settings) && health.hold == nil)
  }

  @Test(
    arguments: [
      (["ledger.lost"], nil, false), ([nil], nil, true), ([nil, "ledger.lost"], nil, true),
      (["blobs.other", "ledger.lost"], "blobs.other", false),
      (["blobs.ledger", nil, "ledger.lost"], nil, true),
      ([nil, "ledger.other", "ledger.lost"], "ledger.other", false),
    ] as [([String?], String?, Bool)])
  func `a shared place may be another one until the ledger was entered`(
    codes: [String?], foreign: String?, isOwn: Bool
  ) {
    var health = Health()
    #expect(health.place == .unknown && health.foreignPlace == nil)
    for code in codes {
      _ = set(&health, code.map { Failure(.machine, code: $0, reason: $0) }, .ledger)
    }
    #expect(health.foreignPlace?.code == foreign && (health.place == .own) == isOwn)
    #expect(health.standstill == nil)
  }

  @Test func `a refused reload is a trouble until a reload succeeds, and is told elsewhere`() {
    var health = Health()
    let bad = Failure(.final, code: "configuration", reason: "darkroomd.conf:2: no setting 'X'")
    #expect(set(&health, bad, .settings) == nil)
    #expect(
      health.lines == [
        "the last reload was refused, and the settings from before it are in force: "
          + "darkroomd.conf:2: no setting 'X'"
      ])
    #expect(health.has(.settings) && health.hold == nil)
    #expect(health.statusLine(Ledger().open, isNew: true) == "Idle: no list yet.")
    #expect(set(&health, nil, .settings) == nil && health.lines.isEmpty)
  }

  @Test func `a daemon with files or copies that wait is not idle`() throws {
    var health = Health()
    let idle = "Idle: every list is done."
    #expect(health.statusLine(Ledger().open) == idle)
    health.files = InboxCounts(waiting: 2, unreadable: 1)
    #expect(health.statusLine(Ledger().open) == "2 files wait in the inbox.")
    let closed = Failure(
      .final, code: "list.unreadable", reason: "permission denied", advice: "Use chmod")
    let notice = set(&health, closed, .file(FileName(literal: "a.txt")))
    #expect(notice == .fileUnreadable(name: "a.txt", closed))
    #expect(notice?.priority == .notice)
    // It is its owner's to mend: this machine is well.
    #expect(health.lines == [] && !health.has(.inbox))
    #expect(health.mistakes { _ in true } == ["a.txt: permission denied. Use chmod"])
    #expect(
      health.statusLine(Ledger().open) == "2 files wait in the inbox. a.txt: permission denied.")
    health.files = InboxCounts()
    _ = set(&health, nil, .file(FileName(literal: "a.txt")))
    _ = set(&health, full, .copy(ListID(3)))
    _ = set(&health, full, .copy(ListID(4)))
    #expect(
      health.statusLine(Ledger().open)
        == "the copy of list 3 in done waits: no space left on device, and 1 more.")
  }

  @Test func `a user with too many files costs the user alone, all users cost the machine`() {
    var health = Health()
    let share = Failure(.final, code: "inbox.share", reason: "9 files of user 7 wait")
    let notice = set(&health, share, .crowd(.user(7)))
    #expect(notice == .shareTaken(of: Person(7), share) && notice?.priority == .notice)
    #expect(health.lines == [] && !health.has(.inbox))
    #expect(health.mistakes { _ in true } == ["9 files of user 7 wait"])
    #expect(health.crowds { _ in true } == ["9 files of user 7 wait"])
    // Others see neither the user nor the number.
    let closed =
      "some files of one user wait, because the user has reached the limit on waiting files"
    #expect(health.mistakes { _ in false } == [closed] && health.crowds { _ in false } == [])
    #expect(
      health.statusLine(Ledger().open, leased: OpenTotal(), isNew: false) { _ in false }
        == "\(closed).")
    let lists = Failure(.final, code: "inbox.lists", reason: "9 lists of user 7 are kept")
    #expect(set(&health, lists, .crowd(.lists(7))) == .shareTaken(of: Person(7), lists))
    #expect(
      health.mistakes { _ in false }.last
        == "some files of one user wait, because the user has reached the limit on lists")
    #expect(health.crowds { _ in true }.count == 2 && health.lines == [])
    #expect(set(&health, nil, .crowd(.lists(7))) == nil)
    let all = Failure(.machine, code: "inbox.crowded", reason: "9 files wait")
    #expect(set(&health, all, .crowd(.everyone))?.priority == .warning)
    #expect(health.lines == ["9 files wait"] && health.has(.inbox))
    #expect(
      set(&health, nil, .crowd(.everyone)) != nil && set(&health, nil, .crowd(.user(7))) == nil)
    #expect(health == Health())
  }

  @Test func `shares of a cluster are no lists of this node`() {
    var ledger = Ledger()
    for (list, photos) in [(1, 9), (2, 3), (3, 2)] as [(UInt64, UInt32)] {
      let acceptance = Acceptance(photos: photos, serviceClass: .default, sha256: "")
      ledger.apply(Transition(time: 1, .accepted(ListID(list), acceptance)))
    }
    let (own, shares) = ledger.open(besides: [ListID(2), ListID(3), ListID(4)])
    let health = Health()
    #expect(
      health.statusLine(own, leased: shares)
        == "Working on 1 list, 9 photos to go. 5 photos of the cluster to go here.")
    let (none, all) = ledger.open(besides: (1...3).map { ListID($0) })
    #expect(health.statusLine(none, leased: all) == "14 photos of the cluster to go here.")
  }

  @Test func `a foreign folder is told once, beside the ledger that was not entered because of it`()
  {
    var health = Health()
    _ = set(&health, .otherBlobs, .blobs)
    let line = health.lines
    #expect(line.count == 1)
    _ = set(&health, .otherBlobs, .ledger)
    #expect(health.lines.count == 1 && health[.blobs] == .otherBlobs)
    _ = set(&health, nil, .ledger)
    #expect(health.lines == line)
  }

  @Test func `a list that is over takes its trouble with it, silently`() {
    var health = Health()
    _ = set(&health, gone, .list(ListID(1)))
    _ = set(&health, full, .copy(ListID(1)))
    let subjects: [Health.Subject] = [.list(ListID(1)), .copy(ListID(1))]
    let (isForgotten, isThere) = (health.forget(subjects), health.forget(subjects))
    #expect(isForgotten && !isThere)
    #expect(health.lines.isEmpty && health.waitingLists == 0)
  }

  @Test func `of very many lists and files in trouble most are only counted`() {
    var health = Health()
    for number in 1...500 { _ = set(&health, gone, .list(ListID(UInt64(number)))) }
    #expect(health.lines.count == Health.mostLines + 1)
    #expect(health.lines.last == "400 more lists or files are in trouble")
    var files = Health()
    var told = 0
    for number in 1...500 {
      if set(&files, full, .file(FileName(number: UInt64(number)))) != nil { told += 1 }
    }
    #expect(told == Health.mostFiles)
  }
}

extension Health {
  /// As root may read it.
  fileprivate func statusLine(
    _ open: OpenTotal, leased: OpenTotal = OpenTotal(), isNew: Bool = false
  ) -> String {
    statusLine(open, leased: leased, isNew: isNew) { _ in true }
  }
}
