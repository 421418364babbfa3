// SPDX-License-Identifier: Apache-2.0
// The room for copies of dropped pictures. They leave a part of each disk free, and a copy that has begun keeps the room
// for its rest, so that copies side by side do not fill a disk together. The promises are counted for all disks
// together, which may delay a copy, and never fills a disk. Raises `pictures.room`.
// Concurrency: one number, which each promise changes by itself.

internal import Synchronization
package import Vocabulary

package final class CopyRoom: Sendable {
  /// Keeps sums below the largest number.
  private static let most: UInt64 = 1 << 56

  /// The bytes that stay free on a file system of this size.
  private let floor: @Sendable (UInt64) -> UInt64
  private let rest = Atomic<UInt64>(0)

  package init(keeping floor: @escaping @Sendable (UInt64) -> UInt64 = { _ in 0 }) {
    self.floor = floor
  }

  /// The bytes that begun copies will still write.
  package var promised: UInt64 { rest.load(ordering: .relaxed) }

  /// The room of one copy. The rest of it is free again with the last reference.
  package final class Promise: Sendable {
    private let home: CopyRoom
    private let left: Atomic<UInt64>

    fileprivate init(_ bytes: UInt64, _ home: CopyRoom) {
      self.home = home
      left = Atomic(bytes)
    }

    /// They are on the disk, and not free any more. For one task at a time.
    package func wrote(_ bytes: UInt64) {
      let part = min(bytes, left.load(ordering: .relaxed))
      left.wrappingSubtract(part, ordering: .relaxed)
      home.rest.wrappingSubtract(part, ordering: .relaxed)
    }

    deinit { home.rest.wrappingSubtract(left.load(ordering: .relaxed), ordering: .relaxed) }
  }

  /// For a copy whose room was looked at.
  package func promise(_ bytes: UInt64) -> Promise {
    let bytes = min(bytes, Self.most)
    rest.wrappingAdd(bytes, ordering: .relaxed)
    return Promise(bytes, self)
  }

  /// The room for a copy in the folder.
  package func ask(_ bytes: UInt64, in folder: any Folder) throws(Failure) -> Promise {
    // First, so that of two that ask together none takes the room of the other.
    let promise = promise(bytes)
    let room = try asMachine { () throws(SystemError) in try folder.room() }
    let taken = floor(room.total) + promised - min(bytes, Self.most)
    let left = room.free - min(room.free, taken)
    if bytes <= left { return promise }
    throw Failure(
      .machine, code: "pictures.room",
      reason: "the copies of its pictures need \(Self.words(bytes)), and the file system of "
        + "\(folder.path) has room for \(Self.words(left))",
      advice: "Make room, or lower FreeSpace= in darkroomd.conf")
  }

  package static func words(_ bytes: UInt64) -> String {
    bytes < 10 << 20 ? "\(bytes >> 10) KiB" : "\(bytes >> 20) MiB"
  }
}
