// SPDX-License-Identifier: Apache-2.0
// Thousands of histories with power cuts, and the proof that a missing sync is noticed. `STATES` sets the
// number of disks that are judged after a power cut; a failure prints the seed, which `SEED` replays.

import Record
import Support
import Testing
import Vocabulary

struct CrashSimulationTests {
  private static let effort: CrashSimulation.Effort =
    LongForm.number("STATES") == nil ? .short : .long
  private static let streams: UInt64 = 4

  /// Four streams of seeds, so that both processors have work.
  @Test(arguments: 0..<streams)
  func `after a power cut no acknowledged change is missing and none is invented`(
    stream: UInt64
  ) async throws {
    let tally = try await computing { Self.judge(stream) }
    #expect(tally.violations.isEmpty)
    print("power cuts, stream \(stream): \(tally)")
    if LongForm.number("SEED") == nil {
      #expect(CutRule.allCases.allSatisfy { tally.cuts[$0] ?? 0 > 0 } && tally.secondCuts > 0)
    }
  }

  private static func judge(_ stream: UInt64) -> CrashSimulation.Tally {
    if let seed = LongForm.number("SEED") {
      return stream == 0 ? CrashSimulation.run(seed: seed, effort) : CrashSimulation.Tally()
    }
    let states = LongForm.number("STATES").map { Int($0 / streams) }
    var tally = CrashSimulation.Tally()
    var seed = stream
    var told = 0
    while tally.violations.isEmpty, states.map({ tally.states < $0 }) ?? (seed < 1200) {
      tally.add(CrashSimulation.run(seed: seed, effort))
      seed += streams
      if tally.states / 250_000 > told {
        told = tally.states / 250_000
        print("power cuts, stream \(stream): \(tally)")
      }
    }
    return tally
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
        !CrashSimulation.run(seed: $0, ignoring: [call], on: thing).violations.isEmpty
      }
    }
    #expect(found)
  }

  @Test func `a history replays from its seed`() async throws {
    let tallies = try await computing {
      ([3, 3, 4] as [UInt64]).map { "\(CrashSimulation.run(seed: $0))" }
    }
    #expect(tallies[0] == tallies[1] && tallies[0] != tallies[2])
  }
}

extension CrashSimulation.Tally: CustomStringConvertible {
  var description: String {
    let rules = CutRule.allCases.map { "\($0) \(cuts[$0] ?? 0)" }.joined(separator: ", ")
    return "\(histories) histories, \(states) states (\(rules), second \(secondCuts), "
      + "after a start \(lateCuts), starts \(starts)), \(violations.count) violations\(violations)"
  }
}
