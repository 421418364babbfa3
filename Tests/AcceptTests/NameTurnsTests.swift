// SPDX-License-Identifier: Apache-2.0
// The turns of lists that would print into one folder.

import Linux
import Support
import Testing
import Vocabulary

@testable import Accept

@Suite struct NameTurnsTests {
  /// Stands for the inbox's thread.
  @MainActor private final class Bench {
    private let turns = NameTurns()
    private let first = ChangeSignal()
    private(set) var order: [String] = []

    func turn(_ name: String, _ entry: String) async {
      await turns.turn(at: name) { order.append(entry) }
    }

    /// Keeps the name until `end`.
    func begin(_ name: String) async {
      await turns.turn(at: name) {
        order.append("begins")
        await first.change(after: 0)
        order.append("ends")
      }
    }

    func end() { first.changed() }
  }

  @Test @MainActor func `lists of one name take turns, and a list of another name waits for none`()
    async
  {
    let bench = Bench()
    let first = Task { await bench.begin("barn") }
    while bench.order.isEmpty { await Task.yield() }
    let others = ["barn 2", "barn 3"].map { entry in
      Task { await bench.turn("barn", entry) }
    }
    await bench.turn("cow", "cow")
    for _ in 0..<100 { await Task.yield() }
    #expect(bench.order == ["begins", "cow"])
    bench.end()
    await first.value
    for other in others { await other.value }
    #expect(bench.order.prefix(3) == ["begins", "cow", "ends"])
    #expect(Set(bench.order.dropFirst(3)) == ["barn 2", "barn 3"])
    await bench.turn("barn", "again")
    #expect(bench.order.count == 6)
  }
}
