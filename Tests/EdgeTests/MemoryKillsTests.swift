// SPDX-License-Identifier: Apache-2.0
// Which deaths of children lack of memory explains.

import Foundation
import Linux
import Synchronization
import Testing

struct MemoryKillsTests {
  private final class Kernel: Sendable {
    let kills = Mutex<UInt64?>(7)
  }

  private let kernel = Kernel()

  @Test func `each kill of the kernel explains one death, those before the start none`() {
    var kills = MemoryKills { [kernel] in kernel.kills.withLock { $0 } }
    let before = kills.explainsDeath()
    kernel.kills.withLock { $0 = 9 }
    let after = (1...3).map { _ in kills.explainsDeath() }
    #expect(!before && after == [true, true, false])
  }

  @Test func `a kernel that does not tell is to blame`() {
    kernel.kills.withLock { $0 = nil }
    var kills = MemoryKills { [kernel] in kernel.kills.withLock { $0 } }
    let isExplained = kills.explainsDeath()
    #expect(isExplained && !kills.isTold)
  }

  @Test func `the kernel's number is found`() throws {
    let lines = try String(contentsOfFile: "/proc/vmstat", encoding: .utf8).split(separator: "\n")
    guard let line = lines.first(where: { $0.hasPrefix("oom_kill ") }) else { return }
    // The number never falls.
    let before = try #require(UInt64(line.dropFirst(9)))
    #expect(try #require(MemoryKills.counted()) >= before)
  }
}
