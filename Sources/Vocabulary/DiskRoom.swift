// SPDX-License-Identifier: Apache-2.0
// The room on a file system, as it tells it at one moment.

package struct DiskRoom: Equatable, Sendable {
  /// Bytes that this user can still write.
  package let free: UInt64
  /// Bytes of the whole file system.
  package let total: UInt64
  /// Files that this user can still make; 0 where the file system has no such limit.
  package let names: UInt64
  package let isReadOnly: Bool

  package init(free: UInt64, total: UInt64, names: UInt64 = 0, isReadOnly: Bool = false) {
    self.free = free
    self.total = total
    self.names = names
    self.isReadOnly = isReadOnly
  }

  /// A write that failed before may succeed now.
  package func isBetter(than before: DiskRoom) -> Bool {
    free > before.free || names > before.names || !isReadOnly && before.isReadOnly
  }

  /// The worse of both in each respect.
  package func worst(with other: DiskRoom) -> DiskRoom {
    DiskRoom(
      free: min(free, other.free), total: other.total, names: min(names, other.names),
      isReadOnly: isReadOnly || other.isReadOnly)
  }
}
