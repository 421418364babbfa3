// SPDX-License-Identifier: Apache-2.0
// A wait for a part that rests on the simulated clock; limited, so that a part that does not rest fails its
// test.

import Support

extension SimulatedClock {
  /// Returns when a call waits for the clock; false if none does in time.
  func isAwaited() async -> Bool {
    do { return try await Patience.sees { pending > 0 } } catch { return false }
  }
}
