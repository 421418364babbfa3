// SPDX-License-Identifier: Apache-2.0
// Scans of photos: one of a user at a time, and none goes on without its caller.

import Linux
import Steer
import Support
import Synchronization
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct PhotoScanTests {
  private static let left = ControlError.notPossible(why: "the caller has left")

  @Test func `scans of one user follow each other, beside the scan of another user`() async throws {
    try TestHomes.settle()
    let scans = PhotoScans()
    let (begun, gates) = (
      EventBoard([String]()), ["first": ThreadSignal(), "other": ThreadSignal()]
    )
    @Sendable func scan(_ name: String, of user: UInt32) async throws {
      try await scans.run(of: user) {
        begun.change { $0.append(name) }
        gates[name]?.wait()
      }
    }
    async let first: Void = scan("first", of: 1)
    #expect(await begun.wait { $0 == ["first"] })
    // It has asked for its turn when this returns.
    let second = Task.immediate { try await scan("second", of: 1) }
    #expect(scans.lines.turns.withLock { $0.waiting[1]?.count } == 1)
    async let other: Void = scan("other", of: 2)
    #expect(await begun.wait { $0 == ["first", "other"] })
    gates["first"]?.ring()
    #expect(await begun.wait { $0 == ["first", "other", "second"] })
    gates["other"]?.ring()
    _ = try await (first, second.value, other)
    #expect(scans.lines.turns.withLock { $0.waiting }.isEmpty)
  }

  @Test func `a scan reads on for one block at most when its caller has left`() async {
    let seen = EventBoard([Range<UInt32>]())
    let scan = Task {
      try PhotoScans.each(of: 5..<1_000_000) { block in
        seen.change { $0.append(block) }
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
        return true
      }
    }
    await #expect(throws: Self.left) { try await scan.value }
    #expect(seen.value == [5..<261])
  }

  @Test func `a scan reads each photo once, to its end or as far as it wants`() throws {
    for (numbers, end) in [(3..<3, 3), (0..<256, 256), (7..<700, 700), (0..<1000, 512)]
      as [(Range<UInt32>, UInt32)]
    {
      var seen: [UInt32] = []
      try PhotoScans.each(of: numbers) { block in
        seen += block
        return block.upperBound < end
      }
      #expect(seen == Array(numbers.lowerBound..<end))
    }
  }

  @Test func `each call that reads photos ends when its caller has left`() async throws {
    try await PeopleBench.use { bench in
      try await bench.begin(1)
      let list = ListReference("1")
      let calls: [any ControlMethod] = [
        ShowOrder(list: list, state: .filtered), ShowOrder(list: list),
        StatesOrder(list: list), ColoursOrder(list: list, groups: 64),
        FindOrder(list: list, text: "zzz"), WhyOrder(list: list, photo: "zzz"),
        FocusOrder(list: list, photos: ["zzz"]), ListsOrder(),
      ]
      for call in calls {
        let begin = ChangeSignal()
        let task = Task {
          // Ends at the cancellation: the signal never changes.
          await begin.change(after: 0)
          return await bench.calls.handle(call, from: .owner)
        }
        task.cancel()
        guard case .failed(let error) = await task.value else {
          Issue.record("\(type(of: call).name)")
          continue
        }
        #expect(error == Self.left, "\(type(of: call).name)")
      }
    }
  }
}
