// SPDX-License-Identifier: Apache-2.0
// Lists that ended while the clock was wrong: a machine without a battery begins in 1970.

import Record
import Return
import Support
import Testing
import Vocabulary

@testable import darkroomd

extension ListRetentionTests {
  private static let hour = Duration.seconds(3600)
  private static let proven = ExpiryGrace(proof: hour, rest: .zero)

  private func retention(_ bench: DiskBench) -> ListRetention {
    retention(
      bench, LiveSettings(settings(lists: Self.hour * 3, prints: Self.hour * 2)),
      grace: Self.proven)
  }

  /// Acts while the clock is in 1970.
  private func inThePast(_ bench: DiskBench, _ act: () async throws -> Void) async throws {
    let truth = bench.clock.wallTime()
    bench.clock.setWallTime(86_400_000)
    try await act()
    bench.clock.setWallTime(truth)
  }

  @Test func `a list that ended in 1970 is as old as this process has known its end`() async throws
  {
    try await DiskBench.use { bench in
      try await inThePast(bench) { try await develop(bench, 1) }
      try await develop(bench, 2)
      let retention = retention(bench)
      try await running(bench, retention) { () async throws in
        #expect(bench.told.all().filter { $0.contains("KeepPrints= sets") }.isEmpty)
        bench.clock.advance(by: Self.hour)
        #expect(await bench.clock.isAwaited())
        #expect(prints(bench) == ["barn"] && left(bench) == ["1", "2"])
        let (old, younger) = (try retention.old(Self.hour * 2), try retention.old(Self.hour))
        #expect(old.isEmpty && younger == [ListID(1), ListID(2)])
        bench.clock.advance(by: Self.hour)
        #expect(try await Patience.sees { prints(bench) == [] })
        #expect(await bench.clock.isAwaited() && left(bench) == ["1", "2"])
        bench.clock.advance(by: Self.hour)
        #expect(try await Patience.sees { left(bench) == [] })
      }
    }
  }

  @Test
  func `nothing is removed while the clock is behind this version, nor an hour after it was set`()
    async throws
  {
    try await DiskBench.use { bench in
      try await develop(bench, 1)
      let truth = bench.clock.wallTime()
      bench.clock.setWallTime(86_400_000)
      let retention = retention(bench)
      try await running(bench, retention) { () async throws in
        for _ in 1...5 {
          bench.clock.advance(by: Self.hour)
          #expect(await bench.clock.isAwaited())
        }
        #expect(prints(bench) == ["barn"] && left(bench) == ["1"])
        let failure = #expect(throws: Failure.self) { try retention.old(.zero) }
        #expect(failure?.code == "clock.wrong")
        #expect(
          failure?.reason.hasPrefix(
            "the clock of this machine is wrong, so that the age of no list is known: it shows 1970"
          )
            == true)
        bench.clock.setWallTime(truth)
        bench.clock.advance(by: .seconds(60))
        retention.look()
        // The hour begins when the jump is noticed.
        let end = bench.clock.uptime() + Self.hour
        #expect(try await Patience.sees { retention.graceEnd == end })
        #expect(await bench.clock.isAwaited())
        #expect(prints(bench) == ["barn"] && left(bench) == ["1"])
        bench.clock.advance(by: Self.hour * 3)
        #expect(try await Patience.sees { left(bench) == [] })
      }
    }
  }
}
