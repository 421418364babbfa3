// SPDX-License-Identifier: Apache-2.0
// When a read-only disk needs a new start, as a value.

import Linux
import Support
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

  /// One look a second.
  private func isStale(_ seen: Seen..., patience: Duration? = nil) -> Bool {
    var stale = StaleMount(patience: patience)
    let looks = seen.enumerated().map { second, seen in
      stale.take(seen.rights, at: .seconds(1000 + second))
    }
    return looks.last ?? false
  }

  @Test func `a file system that can be written again under a read-only mount needs a new start`() {
    #expect(isStale(.both, .both, .mount))
  }

  @Test func `a wait helps while the file system is read-only, and when the mount is not`() {
    #expect(!isStale(.both))
    #expect(!isStale(.both, .writable))
    #expect(!isStale(.fileSystem, .writable))
  }

  @Test func `a mount that was read-only alone may be so after a new start`() {
    #expect(!isStale(.mount, .mount))
    #expect(isStale(.mount, .both, .mount))
  }

  @Test func `a service ends after a while, since a new start may find its mount mended`() {
    let pause = Duration.seconds(2)
    #expect(!isStale(.mount, .mount, patience: pause))
    #expect(isStale(.mount, .mount, .mount, patience: pause))
    #expect(isStale(.both, .mount, patience: pause))
    // The time begins again after a look that found it writable, or the file system itself read-only.
    #expect(!isStale(.mount, .writable, .mount, .mount, patience: pause))
    #expect(!isStale(.fileSystem, .fileSystem, .fileSystem, .both, patience: pause))
  }

  @Test func `the unit allows more starts than such a service makes`() throws {
    let unit = Repository.text("systemd/darkroom.service")
    #expect(unit.contains("StartLimitIntervalSec=20min") && unit.contains("StartLimitBurst=20"))
    #expect(StaleMount.pause * 20 > .seconds(20 * 60))
  }
}
