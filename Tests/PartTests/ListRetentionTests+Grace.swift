// SPDX-License-Identifier: Apache-2.0
// A slip of the administrator removes nothing at once: the hour after a start and after a changed setting, the day for
// which expired prints rest, and what is said before.

import Cluster
import Linux
import Record
import Return
import Support
import Testing
import Vocabulary

@testable import darkroomd

extension ListRetentionTests {
  private static let day = Duration.seconds(86_400)

  @Test func `no setting shortens the hour after a start, and a changed one begins it again`()
    async throws
  {
    try await DiskBench.use { bench in
      let live = LiveSettings(settings(prints: .seconds(1)))
      let retention = retention(bench, live)
      try await develop(bench, 1)
      try await running(bench, retention) { () async throws in
        bench.clock.advance(by: .seconds(3599))
        retention.look()
        #expect(await bench.clock.isAwaited())
        #expect(prints(bench) == ["barn"])
        // A reload a second before the hour is over.
        _ = live.replace(with: settings(lists: .seconds(2), prints: .seconds(2)))
        retention.look()
        let end = bench.clock.uptime() + .seconds(3600)
        #expect(try await Patience.sees { retention.graceEnd == end })
        #expect(await bench.clock.isAwaited())
        bench.clock.advance(by: .seconds(3599))
        retention.look()
        #expect(await bench.clock.isAwaited())
        #expect(prints(bench) == ["barn"] && left(bench) == ["1"])
        bench.clock.advance(by: .seconds(1))
        retention.look()
        #expect(try await Patience.sees { prints(bench) == [".expired-1"] })
        #expect(left(bench) == ["1"])
      }
    }
  }

  @Test func `while the ledger is older than this node, no list and no print is removed`()
    async throws
  {
    try await DiskBench.use { bench in
      let (live, board) = (LiveSettings(settings(prints: Self.keep)), board(bench))
      board.set(KnownLedger("x", isOlder: true).trouble, for: .ledger)
      let retention = retention(bench, live, board)
      try await develop(bench, 1)
      try await running(bench, retention) { () async throws in
        bench.clock.advance(by: .seconds(7200))
        #expect(await bench.clock.isAwaited())
        retention.look()
        #expect(await bench.clock.isAwaited())
        #expect(prints(bench) == ["barn"] && left(bench) == ["1"])
        board.set(nil, for: .ledger)
        retention.look()
        #expect(try await Patience.sees { prints(bench) == [".expired-1"] })
      }
    }
  }

  @Test func `the age of a list is judged only by a clock that was right for an hour`()
    async throws
  {
    try await DiskBench.use { bench in
      let live = LiveSettings(settings())
      let retention = retention(bench, live)
      try await develop(bench, 1)
      func old() throws -> [ListID] { try retention.old(.seconds(3600)) }
      #expect(throws: Failure.self) { try old() }
      bench.clock.advance(by: .seconds(3599))
      #expect(throws: Failure.self) { try old() }
      // A changed setting does not begin the hour again.
      _ = live.replace(with: settings(lists: .seconds(2)))
      bench.clock.advance(by: .seconds(1))
      #expect(try old() == [ListID(1)] && retention.old(.seconds(3601)).isEmpty)
      // Set to ten years later, between two looks of the retention.
      let seen = retention.bell.version
      bench.clock.setWallTime(bench.clock.wallTime() + 10 * 365 * 86_400_000)
      do throws(Failure) {
        _ = try retention.old(.seconds(3600))
        Issue.record("the clock is believed")
      } catch { #expect(error.code == "clock.unbelieved" && error.words.contains("60 min")) }
      #expect(retention.bell.version > seen, "the retention looks at the clock")
      bench.clock.advance(by: .seconds(3599))
      #expect(throws: Failure.self) { try old() }
      bench.clock.advance(by: .seconds(1))
      #expect(try old() == [ListID(1)])
      // A jump that was noticed an hour ago delays nobody who asks now.
      bench.clock.setWallTime(bench.clock.wallTime() + 86_400_000)
      retention.noteClock()
      bench.clock.advance(by: .seconds(3600))
      #expect(try old() == [ListID(1)])
    }
  }

  @Test func `expired prints rest for a day, and their list as long`() async throws {
    try await DiskBench.use { bench in
      let retention = retention(bench, prints: Self.keep, grace: .full)
      try await develop(bench, 1)
      try await running(bench, retention) { () async throws in
        bench.clock.advance(by: Self.keep)
        retention.look()
        #expect(try await Patience.sees { prints(bench) == [".expired-1"] })
        #expect(await bench.clock.isAwaited())
        #expect(
          bench.told.holds("Set the prints of list 'barn' aside as .expired-1, as KeepPrints="))
        bench.clock.advance(by: Self.day - .seconds(1))
        retention.look()
        #expect(await bench.clock.isAwaited())
        #expect(prints(bench) == [".expired-1"] && left(bench) == ["1"])
        bench.clock.advance(by: .seconds(1))
        retention.look()
        #expect(try await Patience.sees { prints(bench) == [] && left(bench) == [] })
      }
    }
  }

  @Test func `prints that rest over a restart are removed a day after they were set aside`()
    async throws
  {
    try await DiskBench.use { bench in
      let before = retention(bench, prints: Self.keep, grace: .full)
      try await develop(bench, 1)
      try await running(bench, before) { () async throws in
        bench.clock.advance(by: Self.keep)
        before.look()
        #expect(try await Patience.sees { prints(bench) == [".expired-1"] })
      }
      bench.clock.advance(by: .seconds(70_000))
      let again = retention(bench, prints: Self.keep, grace: .full)
      let hidden = again.resume()
      #expect(hidden == [ListID(1)])
      try await running(bench, again, hidden: hidden) { () async throws in
        bench.clock.advance(by: Self.day - .seconds(70_001))
        again.look()
        #expect(await bench.clock.isAwaited())
        #expect(prints(bench) == [".expired-1"])
        bench.clock.advance(by: .seconds(1))
        again.look()
        #expect(try await Patience.sees { prints(bench) == [] })
      }
    }
  }

  @Test func `prints that an administrator has taken back stay`() async throws {
    try await DiskBench.use { bench in
      let retention = retention(bench, prints: Self.keep, grace: .full)
      try await develop(bench, 1)
      try await running(bench, retention) { () async throws in
        bench.clock.advance(by: Self.keep)
        retention.look()
        #expect(try await Patience.sees { prints(bench) == [".expired-1"] })
        #expect(await bench.clock.isAwaited())
        let all = bench.folders.prints
        try all.rename(
          ListFolder.expired(ListID(1)), to: all, as: FileName(literal: "barn"), replacing: false)
        bench.clock.advance(by: Self.day)
        retention.look()
        #expect(try await Patience.sees { left(bench) == [] })
        #expect(prints(bench) == ["barn"])
      }
    }
  }

  @Test func `a forecast counts prints, users and lists, and says when`() async throws {
    try await DiskBench.use { bench in
      let old = settings(lists: Self.day * 30).record
      let retention = retention(bench, LiveSettings(settings(lists: Self.day * 30)))
      for number in 1...3 as ClosedRange<UInt64> { try await develop(bench, number) }
      #expect(retention.forecast(settings(lists: Self.day * 30).record, after: old) == [])
      let short = settings(lists: Self.day * 30, prints: .seconds(30)).record
      #expect(
        retention.forecast(short, after: old) == [
          "KeepPrints= sets 1 print of 1 user in 1 list aside in 60 min, and removes them a day later"
        ])
      #expect(
        retention.forecast(settings(lists: .seconds(30)).record, after: old) == [
          "KeepLists= removes the records of 3 lists of 1 user in 60 min"
        ])
      // Prints that were old before, and have been announced, are told until they go.
      bench.clock.advance(by: .seconds(1800))
      #expect(
        retention.forecast(short, after: short) == [
          "KeepPrints= sets 1 print of 1 user in 1 list aside in 30 min, and removes them a day later"
        ])
      bench.clock.advance(by: .seconds(1800))
      #expect(retention.forecast(short, after: short) == [])
    }
  }

  /// A setting that was changed before a restart would be silent otherwise.
  @Test func `a start reports once what goes within a day, and so does a changed setting`()
    async throws
  {
    try await DiskBench.use { bench in
      for number in 1...3 as ClosedRange<UInt64> { try await develop(bench, number) }
      let live = LiveSettings(settings(lists: Self.day * 30, prints: .seconds(30)))
      let retention = retention(bench, live)
      let said = { bench.told.all().filter { $0.contains("KeepPrints= sets") } }
      let sets = "warning: KeepPrints= sets 1 print of 1 user in 1 list aside "
      try await running(bench, retention) { () async throws in
        #expect(said() == [sets + "in 60 min, and removes them a day later."])
        retention.look()
        #expect(await bench.clock.isAwaited())
        #expect(said().count == 1)
        _ = live.replace(with: settings(lists: Self.day * 30, prints: .seconds(7200)))
        retention.look()
        #expect(try await Patience.sees { said().count == 2 })
        #expect(said().last == sets + "in 2 h, and removes them a day later.")
        _ = live.replace(with: settings(lists: Self.day * 30, prints: Self.day * 2))
        retention.look()
        #expect(try await Patience.sees { retention.expiring() == [] })
        #expect(said().count == 2)
      }
    }
  }

  @Test func `what goes at different times is told with the first and the last time`() async throws
  {
    try await DiskBench.use { bench in
      try await develop(bench, 1)
      bench.clock.advance(by: .seconds(6 * 3600))
      try await bench.add(2, .revising(nil))
      try await bench.recorder.record([.cancelled(ListID(2))])
      let retention = retention(bench, LiveSettings(settings(lists: .seconds(10 * 3600))))
      try await running(bench, retention) {
        #expect(
          bench.told.holds(
            "KeepLists= removes the records of 2 lists of 1 user within 10 h, the first in 4 h."))
        #expect(!bench.told.all().contains { $0.hasPrefix("warning: Keep") })
        #expect(retention.expiring() == [])
      }
    }
  }

  @Test func `prints that are about to go and prints that rest are told in numbers`() async throws {
    try await DiskBench.use { bench in
      let live = LiveSettings(settings(lists: Self.day * 30, prints: Self.day * 3))
      let retention = retention(bench, live)
      try await develop(bench, 1)
      try await running(bench, retention) { () async throws in
        #expect(retention.expiring() == [])
        bench.clock.advance(by: Self.day * 2)
        #expect(
          retention.expiring() == [
            "KeepPrints= sets 1 print of 1 user in 1 list aside in 24 h, and removes them a day later"
          ])
        bench.clock.advance(by: Self.day)
        retention.look()
        let rest =
          "KeepPrints= has set the prints of 1 list of 1 user aside as .expired-NUMBER, and removes them in 24 h unless they are taken back"
        #expect(try await Patience.sees { retention.expiring() == [rest] })
        #expect(await bench.clock.isAwaited())
        // The record of the list goes with them.
        let grace = retention.graceEnd
        _ = live.replace(with: settings(lists: .seconds(1), prints: Self.day * 3))
        retention.look()
        // The proof of the clock begins again with the change, once that is seen.
        #expect(try await Patience.sees { retention.graceEnd > grace })
        #expect(
          retention.forecast(live.current.record, after: settings(prints: Self.day * 3).record)
            == [])
        bench.clock.advance(by: Self.day)
        retention.look()
        #expect(try await Patience.sees { retention.expiring() == [] })
        #expect(prints(bench) == [])
      }
    }
  }
}
