// SPDX-License-Identifier: Apache-2.0
// The board of troubles: its reports, the sandbox, and the line that the service manager shows. `HealthTests`
// test the troubles as a value.

import Accept
import Cluster
import Linux
import Record
import Report
import Support
import Testing
import Vocabulary
import Worker

@testable import darkroomd

@Suite struct HealthBoardTests {
  private let told: ToldLines
  private let changes = ChangeSignal()
  private let board: HealthBoard
  private let full = Failure(.machine, code: "disk.full", reason: "no space left on device")

  init() throws {
    told = try ToldLines()
    board = HealthBoard(told.reporter, inbox: "/inbox", changes: changes)
  }

  @Test func `trouble is reported once, rings at each call, and its end is reported`() throws {
    for _ in 0..<3 { board.set(full, for: .work) }
    #expect(board.health.hold == full && changes.version == 3)
    board.set(nil, for: .work)
    board.set(nil, for: .work)
    let lines = told.all()
    #expect(lines.count == 2 && board.health == Health())
    #expect(lines[0].contains("no space left on device; all work waits"))
    #expect(lines[1].contains("all work continues"))
  }

  @Test func `trouble with the inbox names its path when it is over`() throws {
    board.set(full, for: .inbox)
    board.set(nil, for: .inbox)
    #expect(told.all().last == "The inbox /inbox is working again.")
  }

  @Test func `a list that is over takes its trouble with it, without a report`() throws {
    board.set(full, for: .list(ListID(3)))
    board.set(full, for: .share(LedgerList(3)))
    let seen = changes.version
    board.forget(ListID(3))
    board.forget(LedgerList(3))
    #expect(told.all().count == 2 && board.health == Health())
    #expect(changes.version == seen + 2, "who watches the status hears of it")
    board.forget(ListID(3))
    #expect(changes.version == seen + 2)
  }

  @Test func `a weak inbox is reported, and shown until the next survey`() throws {
    board.surveyed("on nfs", shortcoming: "the inbox is on nfs")
    #expect(board.health.lines == ["the inbox is on nfs"])
    board.surveyed("on ext4", shortcoming: nil)
    #expect(board.health.lines.isEmpty)
    #expect(
      told.all() == ["The inbox /inbox is on nfs.", "The inbox /inbox is on ext4."])
  }

  @Test func `a list without results is reported, but is not in trouble`() throws {
    board.noResults(of: ListID(3), full)
    #expect(told.holds("list 3 has no results in done"))
    #expect(board.health == Health())
  }

  // MARK: the sandbox

  @Test func `a complete sandbox is shown; only a missing layer is reported`() throws {
    #expect(board.sandbox == "no worker has started yet")
    board.note(.sandbox(.all))
    board.note(.said(process: 7, line: "hello"))
    board.note(.died(owner: 3, words: "ended with signal 11"))
    #expect(board.sandbox == "no privileges, limits, Landlock, seccomp")
    #expect(told.all().isEmpty)
    board.note(.sandbox(.required))
    #expect(board.sandbox == "no privileges, limits, seccomp")
    #expect(
      told.all() == ["warning: Workers run without Landlock: this kernel does not offer it."])
  }

  // MARK: the status line

  @Test func `the service manager sees each new line, at most one a second`() async throws {
    try await DiskBench.use { bench in
      let manager = try ServiceManager()
      let run = Task {
        await board.run(manager.status, bench.recorder, ListIndex(), on: bench.clock)
      }
      #expect(try await manager.next() == "STATUS=Idle: no list yet.")
      board.set(full, for: .downloads)
      #expect(await bench.clock.isAwaited())
      // This change is over before the second is.
      board.set(full, for: .work)
      board.set(nil, for: .work)
      try await bench.add(1)
      bench.clock.advance(by: .seconds(1))
      #expect(
        try await manager.next()
          == "STATUS=Waiting: no space left on device. Working on 1 list, 1 photo to go.")
      run.cancel()
      await run.value
    }
  }
  @Test func `every user of the machine can read the line, which names nothing of a private list`()
    async throws
  {
    try await DiskBench.use { bench in
      try await bench.add(1, SampleList { $0.terms.isPrivate = true })
      try await bench.add(2, SampleList { $0.name = "cow.plist" })
      func trouble(_ word: String) -> Failure {
        Failure(.machine, code: "system.28", reason: "openat prints/\(word)/1.jpg: no space")
      }
      for subject in Health.Subject.each { board.set(trouble("SECRET"), for: subject) }
      for subject in [
        Health.Subject.downloads, .ledger, .blobs, .nodes, .openFiles, .newWebhooks, .unsynced,
        .crowd(.everyone), .list(ListID(17)), .copy(ListID(17)),
      ] { board.set(nil, for: subject) }
      board.set(trouble("SECRET"), for: .copy(ListID(1)))
      let manager = try ServiceManager()
      let run = Task {
        await board.run(manager.status, bench.recorder, bench.index, on: bench.clock)
      }
      let all = try await manager.next()
      #expect(all?.contains("Waiting: no space left on device. Working on 2 lists") == true)
      #expect(all?.contains("the copy of list 1 in done waits, and ") == true)
      #expect(all?.contains("SECRET") == false)
      board.set(nil, for: .copy(ListID(1)))
      board.set(trouble("OPEN"), for: .list(ListID(2)))
      // A line a second: the change has ended the wait for one.
      #expect(await bench.clock.isAwaited())
      bench.clock.advance(by: .seconds(1))
      let open = try await manager.next()
      #expect(open?.contains("list 2 waits: openat prints/OPEN/1.jpg: no space") == true)
      #expect(open?.contains("SECRET") == false)
      run.cancel()
      await run.value
    }
  }
}
