// SPDX-License-Identifier: Apache-2.0
// How the inbox's file system can prove that a file is complete. Determined when a folder becomes the inbox,
// and again after mounts.

package import Linux
internal import Vocabulary

package struct InboxNature: Equatable, Sendable {
  package let fileSystem: FileSystemKind
  /// True if a probe file got a read lease.
  package let hasLeases: Bool

  /// A typical local file system.
  package static let usual = InboxNature(
    fileSystem: FileSystemKind(name: "ext4", isShared: false), hasLeases: true)

  /// Files may change without this kernel: a lease proves nothing, and events may be missing.
  package var isShared: Bool { fileSystem.isShared }

  /// How long a list must be unchanged before it is accepted without the proof of a lease.
  package func acceptTime(_ settings: InboxSettings) -> Duration {
    isShared ? settings.quietTime * 2 : settings.quietTime
  }

  /// How long an unreadable list must be unchanged before it is rejected.
  package func rejectTime(_ settings: InboxSettings) -> Duration {
    isShared ? settings.quietTime * 6 : settings.quietTime
  }

  /// Completes a sentence that begins with the inbox.
  package func words(_ settings: InboxSettings) -> String {
    let quiet =
      "a list is accepted once it has been unchanged for \(acceptTime(settings).spoken)"
    if isShared {
      return "on \(fileSystem.name), where files may change unseen: it is polled every "
        + "\(InboxSettings.pollInterval.spoken), and \(quiet)"
    }
    return hasLeases
      ? "on \(fileSystem.name): a read lease proves that a list is complete"
      : "on \(fileSystem.name), which has no read leases: \(quiet)"
  }
}
