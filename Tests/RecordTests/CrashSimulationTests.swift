// SPDX-License-Identifier: Apache-2.0
// Thousands of lives with power cuts, and the proof that a missing sync would have been seen.

import Record
import Support
import Testing
import Vocabulary

struct CrashSimulationTests {
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `after power cuts at any moment nothing acknowledged is missing and nothing is invented`(
    block: UInt64
  ) {
    for seed in (block * 100)..<(block * 100 + 100) {
      if let violation = CrashSimulation.run(seed: seed) {
        Issue.record("\(violation)")
        return
      }
    }
  }

  /// Which sync is left out, on which files.
  static let planted: [(SimulatedDisk.Call, String)] = [
    (.syncFile, ".log"), (.syncFile, ".snap"), (.syncFile, "results"), (.syncFile, ".part"),
    (.syncFolder, "journal"), (.syncFolder, "lists"), (.syncFolder, "originals"),
    (.syncFileSystem, ""),
  ]

  @Test(arguments: planted)
  func `a sync that is left out is found`(call: SimulatedDisk.Call, thing: String) {
    let found = (0..<600 as Range<UInt64>).contains {
      CrashSimulation.run(seed: $0, ignoring: [call], on: thing) != nil
    }
    #expect(found)
  }
}
