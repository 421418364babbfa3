// SPDX-License-Identifier: Apache-2.0
// When a disk in trouble counts as better, as a value, and the watch that looks for it.

import Linux
import Support
import Synchronization
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct DiskReliefTests {
  private func room(
    _ free: UInt64, names: UInt64 = 9, isReadOnly: Bool = false
  ) -> [String: DiskRoom] {
    ["a": DiskRoom(free: free, total: 100, names: names, isReadOnly: isReadOnly)]
  }

  private func take(
    _ relief: inout DiskRelief, _ rooms: [String: DiskRoom], at seconds: Int64 = 0
  ) -> Bool {
    relief.take(rooms, at: .seconds(seconds))
  }

  @Test func `more bytes, more names, and a disk that can be written are relief; less is none`() {
    for (before, after, isBetter) in [
      (room(0), room(1), true), (room(0, names: 0), room(0, names: 1), true),
      (room(5, isReadOnly: true), room(5), true), (room(5), room(5), false),
      (room(5), room(4), false), (room(5), room(5, isReadOnly: true), false),
      (room(5), ["b": DiskRoom(free: 9, total: 100)], false), ([:], room(5), false),
    ] {
      var relief = DiskRelief()
      #expect(!take(&relief, before))
      #expect(take(&relief, after, at: 1) == isBetter, "\(before) \(after)")
    }
  }

  @Test func `the worst since the last relief counts`() {
    var relief = DiskRelief()
    for free: UInt64 in [5, 0] { #expect(!take(&relief, room(free))) }
    #expect(take(&relief, room(3)))
    #expect(!take(&relief, room(3), at: 9))
    #expect(take(&relief, room(4), at: 9))
  }

  @Test func `a disk whose room goes up and down brings relief less and less often`() {
    var relief = DiskRelief()
    var times: [Int64] = []
    for second: Int64 in 0...200 where take(&relief, room(second % 2 == 0 ? 0 : 5), at: second) {
      times.append(second)
    }
    #expect(times == [1, 3, 5, 7, 11, 19, 35, 65, 95, 125, 155, 185])
  }

  @Test func `the watch for a network looks only while lists wait for one`() async throws {
    let (clock, changes) = (SimulatedClock(), ChangeSignal())
    let hasNetwork = Mutex(false)
    let looks = Mutex(0)
    let isTroubled = Mutex(true)
    let questions = EventBoard(0)
    let returns = EventBoard(0)
    let watch = NetworkWatch(
      hasNetwork: {
        looks.withLock { $0 += 1 }
        return hasNetwork.withLock { $0 }
      }, clock: clock, changes: changes)
    let task = Task {
      await watch.run(
        isTroubled: {
          questions.change { $0 += 1 }
          return isTroubled.withLock { $0 }
        }, { returns.change { $0 += 1 } })
    }
    #expect(await clock.isAwaited())
    #expect(looks.withLock { $0 } == 1 && returns.value == 0)
    hasNetwork.withLock { $0 = true }
    clock.advance(by: NetworkWatch.interval)
    #expect(await returns.wait { $0 == 1 })
    #expect(await clock.isAwaited())
    isTroubled.withLock { $0 = false }
    clock.advance(by: NetworkWatch.interval)
    #expect(await questions.wait { $0 == 3 })
    changes.changed()
    #expect(await clock.isAwaited())
    #expect(looks.withLock { $0 } == 2 && returns.value == 1)
    task.cancel()
    await task.value
  }

  @Test func `the watch looks only while there is trouble, and says when a disk is better`()
    async throws
  {
    let (clock, changes) = (SimulatedClock(), ChangeSignal())
    let free = Mutex<UInt64>(0)
    let isTroubled = Mutex(true)
    let questions = EventBoard(0)
    let looks = Mutex(0)
    let reliefs = EventBoard(0)
    let watch = ReliefWatch(
      rooms: {
        looks.withLock { $0 += 1 }
        return ["state": DiskRoom(free: free.withLock { $0 }, total: 100)]
      }, clock: clock, changes: changes)
    let task = Task {
      await watch.run(
        isTroubled: {
          questions.change { $0 += 1 }
          return isTroubled.withLock { $0 }
        }, { reliefs.change { $0 += 1 } })
    }
    #expect(await clock.isAwaited())
    free.withLock { $0 = 5 }
    clock.advance(by: DiskRelief.interval)
    #expect(await reliefs.wait { $0 == 1 })
    #expect(await clock.isAwaited())
    #expect(looks.withLock { $0 } == 2)
    isTroubled.withLock { $0 = false }
    free.withLock { $0 = 9 }
    clock.advance(by: DiskRelief.interval)
    #expect(await questions.wait { $0 == 3 })
    changes.changed()
    #expect(await clock.isAwaited())
    #expect(looks.withLock { $0 } == 2 && reliefs.value == 1)
    task.cancel()
    await task.value
  }
}
