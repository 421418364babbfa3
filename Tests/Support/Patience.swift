// SPDX-License-Identifier: Apache-2.0
// The time that a test waits for an expected event before it fails. Hundreds of tests share few
// threads, so each may be delayed by a minute; only a failing test takes this long.

package enum Patience {
  package static let seconds = 180
  package static let time = Duration.seconds(seconds)

  /// Repeats the condition until it holds; returns false if it does not in time.
  package static func sees(_ holds: () async throws -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + time
    while try await !holds() {
      guard ContinuousClock.now < end else { return false }
      try await Task.sleep(for: .milliseconds(4))
    }
    return true
  }
}
