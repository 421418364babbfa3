// SPDX-License-Identifier: Apache-2.0
// When a read-only disk needs a new start, as a value.

import Linux
import Testing

@testable import darkroomd

@Suite struct StaleMountTests {
  private enum Seen {
    case writable, fileSystem, both, mount

    var rights: MountRights {
      MountRights(
        isMountReadOnly: self == .mount || self == .both,
        isFileSystemReadOnly: self == .fileSystem || self == .both)
    }
  }

  private func isStale(_ seen: Seen...) -> Bool {
    var stale = StaleMount()
    return seen.map { stale.take($0.rights) }.last ?? false
  }

  @Test func `a file system that can be written again under a read-only mount needs a new start`() {
    #expect(isStale(.both, .both, .mount))
  }

  @Test func `a wait helps while the file system is read-only, and when the mount is not`() {
    #expect(!isStale(.both))
    #expect(!isStale(.both, .writable))
    #expect(!isStale(.fileSystem, .writable))
  }

  @Test func `a mount that was read-only alone would be so after a new start`() {
    #expect(!isStale(.mount, .mount))
    #expect(isStale(.mount, .both, .mount))
  }
}
