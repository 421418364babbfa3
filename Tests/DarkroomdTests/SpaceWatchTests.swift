// SPDX-License-Identifier: Apache-2.0
// The watch on free space, on a simulated disk and clock. `SpaceTests` test the floor.

import Linux
import Support
import Synchronization
import Testing
import Vocabulary

@testable import darkroomd

/// A disk with a floor of one MiB, and the watch on it.
private final class SpaceBench: Sendable {
  let disk = SimulatedDisk()
  let clock = SimulatedClock()
  /// The shortages as they were told; nil when one is over, and for the first measure.
  let told = EventBoard<[String?]>([])
  let cleared = EventBoard(0)
  /// The bytes that the cache gives back.
  let cached = Mutex<UInt64>(0)
  let hasWork = Mutex(true)
  /// How often the watch has asked for work.
  let asked = EventBoard(0)
  let watch: SpaceWatch
  private let room: Mutex<UInt64>

  init(free: UInt64 = 2 << 20) throws {
    var settings = Settings()
    settings.download.freeSpace = 1 << 20
    let root = disk.rootFolder
    let folders = try StateFolders(state: root, prints: root, done: root, failed: root)
    watch = SpaceWatch(folders, clock: clock, settings: LiveSettings(settings))
    room = Mutex(free)
    disk.setCapacity(free)
  }

  func run(_ body: () async throws -> Void) async throws {
    let task = Task { [self] in
      await watch.run(
        hasWork: {
          asked.change { $0 += 1 }
          return hasWork.withLock { $0 }
        }, makeRoom: { makeRoom() },
        telling: { failure in told.change { $0.append(failure?.code) } })
    }
    do { try await body() } catch {
      task.cancel()
      throw error
    }
    task.cancel()
    await task.value
  }

  private func makeRoom() {
    let gain = cached.withLock { $0 }
    setFree(room.withLock { $0 } + gain)
    cleared.change { $0 += 1 }
  }

  func setFree(_ bytes: UInt64) {
    room.withLock { $0 = bytes }
    disk.setCapacity(bytes)
  }

  /// Ends the pause after the last measure.
  func rest() async {
    #expect(await clock.isAwaited())
    clock.advance(by: .milliseconds(100))
  }

  func tells(_ codes: [String?]) async -> Bool { await told.wait { $0 == codes } }
}

@Suite struct SpaceWatchTests {
  @Test func `the first measure is told, also when there is room`() async throws {
    let bench = try SpaceBench()
    try await bench.run {
      #expect(await bench.tells([nil]))
      #expect(bench.cleared.value == 0)
    }
  }

  @Test func `a shortage is told when it begins, and when it is over`() async throws {
    let bench = try SpaceBench()
    try await bench.run {
      await bench.rest()
      bench.setFree(1 << 19)
      bench.watch.look()
      #expect(await bench.tells([nil, "disk.low"]))
      await bench.rest()
      // With work, the watch measures again by itself.
      #expect(await bench.clock.isAwaited())
      bench.setFree(2 << 20)
      bench.clock.advance(by: .seconds(5))
      #expect(await bench.tells([nil, "disk.low", nil]))
    }
  }

  @Test func `downloads that have room again after the cache is emptied never wait`() async throws {
    let bench = try SpaceBench(free: 1 << 19)
    bench.cached.withLock { $0 = 1 << 20 }
    try await bench.run {
      #expect(await bench.tells([nil]))
      #expect(bench.cleared.value == 1)
    }
  }

  @Test func `during a shortage the cache is not emptied again`() async throws {
    let bench = try SpaceBench(free: 1 << 19)
    try await bench.run {
      #expect(await bench.tells(["disk.low"]))
      for _ in 0..<3 {
        await bench.rest()
        #expect(await bench.clock.isAwaited())
        bench.clock.advance(by: .seconds(5))
      }
      #expect(await bench.clock.isAwaited())
      #expect(bench.cleared.value == 1 && bench.told.value == ["disk.low"])
    }
  }

  @Test func `without work a shortage is measured only when asked`() async throws {
    let bench = try SpaceBench(free: 1 << 19)
    bench.hasWork.withLock { $0 = false }
    try await bench.run {
      #expect(await bench.tells(["disk.low"]))
      await bench.rest()
      #expect(await bench.asked.wait { $0 == 1 })
      bench.setFree(2 << 20)
      bench.clock.advance(by: .seconds(3600))
      #expect(bench.told.value == ["disk.low"] && bench.clock.pending == 0)
      bench.watch.look()
      #expect(await bench.tells(["disk.low", nil]))
    }
  }

  @Test func `a folder that cannot be measured neither begins nor ends a shortage`() async throws {
    let bench = try SpaceBench()
    bench.disk.fail(.broken(.status))
    try await bench.run {
      #expect(await bench.tells([nil]))
      await bench.rest()
      bench.disk.fail(nil)
      bench.setFree(1 << 19)
      bench.watch.look()
      #expect(await bench.tells([nil, "disk.low"]))
      await bench.rest()
      bench.setFree(2 << 20)
      bench.disk.fail(.broken(.status))
      #expect(await bench.clock.isAwaited())
      bench.clock.advance(by: .seconds(5))
      // The pause after that measure.
      #expect(await bench.clock.isAwaited())
      #expect(bench.told.value == [nil, "disk.low"])
      bench.disk.fail(nil)
      bench.clock.advance(by: .milliseconds(100))
      #expect(await bench.clock.isAwaited())
      bench.clock.advance(by: .seconds(5))
      #expect(await bench.tells([nil, "disk.low", nil]))
    }
  }
}
