// SPDX-License-Identifier: Apache-2.0
// Random numbers that depend on their seed alone, on every machine (SplitMix64): a failed run is
// replayed from its seed.

package struct SimulatedRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// True one time in `count`.
  package mutating func oneIn(_ count: UInt64) -> Bool { next() % count == 0 }

  package mutating func number(below limit: Int) -> Int { Int(next() % UInt64(limit)) }
}
