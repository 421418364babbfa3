// SPDX-License-Identifier: Apache-2.0
// How long a test waits for what must come before it says that it does not. Hundreds of tests share few
// threads, so each may be kept from going on for a minute; only what fails takes as long as this.

package enum Patience {
  package static let seconds = 180
  package static let time = Duration.seconds(seconds)

  /// Looks again and again; false where it did not come to hold in time.
  package static func sees(_ holds: () async throws -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + time
    while try await !holds() {
      guard ContinuousClock.now < end else { return false }
      try await Task.sleep(for: .milliseconds(4))
    }
    return true
  }
}
