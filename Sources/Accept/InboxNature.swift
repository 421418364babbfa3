// SPDX-License-Identifier: Apache-2.0
// How it can be known here that a file is whole: found out once for each folder that becomes the inbox,
// since it depends on the file system that it lies on.

package import Linux
internal import Vocabulary

package struct InboxNature: Equatable, Sendable {
  package let fileSystem: FileSystemKind
  /// Whether the kernel gives read leases there, as a probe file found out.
  package let hasLeases: Bool

  package init(fileSystem: FileSystemKind, hasLeases: Bool) {
    self.fileSystem = fileSystem
    self.hasLeases = hasLeases
  }

  /// What a local file system of Linux is.
  package static let usual = InboxNature(
    fileSystem: FileSystemKind(name: "ext4", isShared: false), hasLeases: true)

  /// Others may change files behind this kernel's back: a lease is no proof, events do not all come.
  package var isShared: Bool { fileSystem.isShared }

  /// How long a list must not have changed before it is taken where no lease proves it whole.
  package func acceptTime(_ settings: InboxSettings) -> Duration {
    isShared ? settings.quietTime * 2 : settings.quietTime
  }

  /// How long what does not read as a list must not have changed before it is rejected.
  package func rejectTime(_ settings: InboxSettings) -> Duration {
    isShared ? settings.quietTime * 6 : settings.quietTime
  }

  /// Ends a sentence that begins with the inbox.
  package func words(_ settings: InboxSettings) -> String {
    let quiet =
      "a list is taken once nobody has touched it for \(Self.spoken(acceptTime(settings)))"
    if isShared {
      return "on \(fileSystem.name), which others may change unseen: it is looked at every "
        + "\(Self.spoken(InboxSettings.pollInterval)), and \(quiet)"
    }
    return hasLeases
      ? "on \(fileSystem.name): a read lease proves that a list is whole"
      : "on \(fileSystem.name), which has no read leases: \(quiet)"
  }

  private static func spoken(_ time: Duration) -> String {
    let milliseconds = time.milliseconds
    return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
  }
}
