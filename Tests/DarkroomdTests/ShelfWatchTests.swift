// SPDX-License-Identifier: Apache-2.0
// The looks at the place that nodes share.

import Cluster
import Linux
import Support
import Synchronization
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct ShelfWatchTests {
  /// A place whose trouble a test sets, and which hangs on demand.
  private final class Place: Sendable {
    let trouble = Mutex<Failure?>(nil)
    let isHung = Mutex(false)
    let looks = EventBoard(0)
    let gate = ThreadSignal()

    func look() -> Failure? {
      looks.change { $0 += 1 }
      if isHung.withLock({ $0 }) { gate.wait() }
      return trouble.withLock { $0 }
    }
  }

  private static let pause = Duration.seconds(5)
  private let place = Place()
  private let clock = SimulatedClock()
  private let told: ToldLines
  private let board: HealthBoard

  init() throws {
    told = try ToldLines()
    board = HealthBoard(told.reporter, inbox: "/inbox", changes: ChangeSignal())
  }

  private func start() -> Task<Void, Never> {
    let watch = ShelfWatch(trouble: { [place] in place.look() }, health: board, clock: clock)
    return Task { await watch.run { Self.pause } }
  }

  @Test func `the trouble of the shared place is shown at the next look, and told once`()
    async throws
  {
    let run = start()
    for trouble: Failure? in [nil, .otherBlobs, .otherBlobs, .foreignBlobs, nil] {
      #expect(await clock.isAwaited())
      place.trouble.withLock { $0 = trouble }
      clock.advance(by: Self.pause)
      #expect(await clock.isAwaited())
      #expect(board.health[.blobs] == trouble)
    }
    run.cancel()
    await run.value
    #expect(place.looks.value == 6)
    let lines = told.all()
    #expect(lines.count == 3, "\(lines)")
  }

  @Test func `a stop does not wait for a place that hangs`() async throws {
    place.isHung.withLock { $0 = true }
    let run = start()
    #expect(await place.looks.wait { $0 == 1 })
    run.cancel()
    await run.value
    place.gate.ring()
  }
}
