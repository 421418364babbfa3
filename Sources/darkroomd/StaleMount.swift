// SPDX-License-Identifier: Apache-2.0
// Tells when no wait for a read-only disk can help: the unit has a mount namespace of its own, made at its start. If
// the disk was read-only then, its mount in there stays so, whatever is remounted outside. A new start sees the disk
// as it is. A value; raises nothing.

import Linux

struct StaleMount {
  /// The file system itself was seen read-only. Otherwise a new start would find what this one has found.
  private var wasReadOnly = false

  /// Takes the rights of the mount as they are now. True if only a new start can write to it.
  mutating func take(_ rights: MountRights) -> Bool {
    if rights.isFileSystemReadOnly { wasReadOnly = true }
    return wasReadOnly && !rights.isFileSystemReadOnly && rights.isMountReadOnly
  }
}
