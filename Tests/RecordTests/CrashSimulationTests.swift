// SPDX-License-Identifier: Apache-2.0
// Thousands of histories with power cuts, and the proof that a missing sync is noticed.

import Record
import Support
import Testing
import Vocabulary

struct CrashSimulationTests {
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `after power cuts at any call no acknowledged change is missing and none is invented`(
    block: UInt64
  ) async throws {
    try await computing {
      for seed in (block * 100)..<(block * 100 + 100) {
        if let violation = CrashSimulation.run(seed: seed) {
          Issue.record("\(violation)")
          return
        }
      }
    }
  }

  /// The sync that is left out, and the files on which.
  static let planted: [(SimulatedDisk.Call, String)] = [
    (.syncFile, ".log"), (.syncFile, ".snap"), (.syncFile, "results"), (.syncFile, ".part"),
    (.syncFolder, "journal"), (.syncFolder, "lists"), (.syncFolder, "originals"),
    (.syncFileSystem, ""),
  ]

  @Test(arguments: planted)
  func `a sync that is left out is noticed`(call: SimulatedDisk.Call, thing: String) async throws {
    let found = try await computing {
      (0..<600 as Range<UInt64>).contains {
        CrashSimulation.run(seed: $0, ignoring: [call], on: thing) != nil
      }
    }
    #expect(found)
  }
}
