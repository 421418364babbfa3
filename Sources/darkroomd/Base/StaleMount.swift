// SPDX-License-Identifier: Apache-2.0
// Tells when no wait for a read-only disk can help: the unit has a separate mount namespace, made at its start. If
// the disk was read-only when the unit started, its mount in the namespace stays read-only, even if an administrator
// remounts the disk outside. A new start sees the disk as it is. A value; raises nothing.

import Linux

struct StaleMount {
  /// The pause of a service between two starts while the mount alone is read-only. Nothing tells in its namespace
  /// whether the mount outside is still so. Half as many starts as the unit allows.
  static let pause = Duration.seconds(120)

  /// How long the mount may be read-only alone; nil if nothing would start the process again.
  let patience: Duration?
  /// The file system itself was seen read-only. Otherwise a new start may find what this one has found.
  private var wasReadOnly = false
  /// Since when the mount alone is read-only.
  private(set) var since: Duration?

  init(patience: Duration? = nil) { self.patience = patience }

  /// Takes the rights of the mount as they are now. True if only a new start can write to it.
  mutating func take(_ rights: MountRights, at now: Duration) -> Bool {
    if rights.isFileSystemReadOnly { wasReadOnly = true }
    guard rights.isMountReadOnly, !rights.isFileSystemReadOnly else {
      since = nil
      return false
    }
    let begin = since ?? now
    since = begin
    return wasReadOnly || patience.map { now - begin >= $0 } ?? false
  }
}
