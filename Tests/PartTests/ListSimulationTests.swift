// SPDX-License-Identifier: Apache-2.0
// Seeded histories of many lists: the lives, the ledger and the admission, with any event at any step.
// `LIVES` sets the number of lists; a failure prints the seed, which `SEED` replays.

import Foundation
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct ListSimulationTests {
  private static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  private static let listsEach = 50

  /// Four streams of seeds, so that both processors have work.
  @Test(arguments: UInt64(0)..<4)
  func `every list ends once, every question is answered, and nothing runs after a cancel`(
    stream: UInt64
  ) async throws {
    try await computing { live(stream: stream) }
  }

  private func live(stream: UInt64) {
    if let seed = Self.number("SEED") {
      if stream == 0 { live(seed) }
      return
    }
    let lives = Self.number("LIVES") ?? 100_000
    let histories = lives / UInt64(Self.listsEach)
    var (crashes, answers) = (0, 0)
    for history in 0..<histories where history % 4 == stream {
      let world = live(history)
      crashes += world.crashes
      answers += world.answers
      if !world.violations.isEmpty { return }
    }
    print("\(stream): \(histories / 4) histories, \(crashes) crashes, \(answers) answers")
    #expect(crashes > 0 && answers > 0)
  }

  @discardableResult
  private func live(_ seed: UInt64) -> ListWorld {
    var world = ListWorld(seed: seed)
    world.run(lists: Self.listsEach)
    #expect(world.violations.isEmpty, "SEED=\(seed): \(world.violations)")
    return world
  }
}
