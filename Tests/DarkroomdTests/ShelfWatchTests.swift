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
    let isFull = Mutex(false)
    let writes = Mutex(0)
    static let full = Failure(.machine, scope: .prints, code: "disk.full", reason: "it is full")
    let isHung = Mutex(false)
    let looks = EventBoard(0)
    let gate = ThreadSignal()

    func look() -> Failure? {
      looks.change { $0 += 1 }
      if isHung.withLock({ $0 }) { gate.wait() }
      return trouble.withLock { $0 }
    }

    func write() -> Failure? {
      writes.withLock { $0 += 1 }
      return isFull.withLock { $0 } ? Self.full : nil
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
    let watch = ShelfWatch(
      trouble: { [place] in place.look() }, writeTrouble: { [place] in place.write() },
      health: board, clock: clock)
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

  @Test func `a place that was full is well when a write went through, and that is told once`()
    async throws
  {
    let run = start()
    #expect(await clock.isAwaited())
    board.set(Place.full, for: .work)
    place.isFull.withLock { $0 = true }
    // The photos went back to the ledger, so that no chain is left.
    board.worked(isProven: false, isNode: true)
    #expect(board.health[.blobs] == Place.full && board.health[.work] == nil)
    for _ in 0..<4 {
      clock.advance(by: Self.pause)
      #expect(await clock.isAwaited())
      #expect(board.health[.blobs] == Place.full)
    }
    place.isFull.withLock { $0 = false }
    clock.advance(by: Self.pause)
    #expect(await clock.isAwaited())
    #expect(board.health[.blobs] == nil && place.writes.withLock { $0 } == 5)
    clock.advance(by: Self.pause)
    #expect(await clock.isAwaited())
    #expect(place.writes.withLock { $0 } == 5, "a place that is well is not written to")
    run.cancel()
    await run.value
    let lines = told.all()
    #expect(lines.count == 2, "\(lines)")
    #expect(lines.last?.contains("photos of the cluster continue at this node") == true)
  }

  @Test(arguments: [(true, true), (true, false), (false, false)])
  func `work goes on after a print, and on a machine alone when none is left`(
    isProven: Bool, isNode: Bool
  ) {
    board.set(Place.full, for: .work)
    board.worked(isProven: isProven, isNode: isNode)
    #expect(board.health == Health())
    #expect(told.all().last?.contains("all work continues") == true)
  }

  @Test(arguments: [false, true])
  func `a shelf is written to, and left as it was`(inStore: Bool) throws {
    let (blobs, state) = (try FreshFolder(), try FreshFolder())
    try FolderShelf.make(in: blobs.folder)
    let store = MemoryStore()
    let shelf: any ListShelf =
      inStore
      ? StoreShelf(store: store)
      : FolderShelf(SharedMark(path: blobs.path, in: state.folder), mark: "aa.")
    #expect(shelf.writeTrouble(through: state.folder) == nil)
    let root = blobs.path
    if inStore {
      store.fail(at: "")
    } else {
      FaultPlan.set(.init("pwrite", on: root, code: 28), for: root)
    }
    defer { FaultPlan.set(nil, for: root) }
    let failure = shelf.writeTrouble(through: state.folder)
    #expect(failure?.code == (inStore ? "store.busy" : "disk.full") && failure?.scope == .prints)
    #expect(store.keys.isEmpty)
    let lists = try blobs.folder.openFolder(FileName(literal: "lists"), creating: false)
    #expect(try lists.names().isEmpty)
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
