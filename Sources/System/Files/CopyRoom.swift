// SPDX-License-Identifier: Apache-2.0
// The room for copies of dropped pictures. They leave a part of each disk free, and a copy that has begun keeps the room
// for its rest, so that copies side by side do not fill a disk together. Raises `pictures.room`.
// Concurrency: the sums of all disks under one lock, under which nothing else is called.

internal import Synchronization
package import Vocabulary

package final class CopyRoom: Sendable {
  /// Keeps sums below the largest number.
  private static let most: UInt64 = 1 << 56

  /// The bytes that stay free on a file system of this size.
  private let floor: @Sendable (UInt64) -> UInt64
  /// By device, or for all that may share their room: the bytes that begun copies will still write.
  private let rest = Mutex<[UInt64: UInt64]>([:])

  package init(keeping floor: @escaping @Sendable (UInt64) -> UInt64 = { _ in 0 }) {
    self.floor = floor
  }

  /// The bytes that begun copies will still write to the disk.
  package func promised(on device: UInt64) -> UInt64 {
    let pool = Self.pool(device)
    return rest.withLock { $0[pool] ?? 0 }
  }

  /// Folders of btrfs and of ZFS may be different devices, without a major number, that share their room.
  private static func pool(_ device: UInt64) -> UInt64 {
    let major = device >> 8 & 0xFFF | device >> 32 & ~0xFFF
    return major == 0 ? 0 : device
  }

  private func take(_ bytes: UInt64, of pool: UInt64) {
    rest.withLock { rest in
      let left = (rest[pool] ?? 0) - bytes
      rest[pool] = left > 0 ? left : nil
    }
  }

  /// The room of one copy. The rest of it is free again with the last reference.
  package final class Promise: Sendable {
    private let home: CopyRoom
    private let pool: UInt64
    private let left: Atomic<UInt64>

    fileprivate init(_ bytes: UInt64, of pool: UInt64, _ home: CopyRoom) {
      (self.home, self.pool) = (home, pool)
      left = Atomic(bytes)
    }

    /// They are on the disk, and not free any more. For one task at a time.
    package func wrote(_ bytes: UInt64) {
      let part = min(bytes, left.load(ordering: .relaxed))
      left.wrappingSubtract(part, ordering: .relaxed)
      home.take(part, of: pool)
    }

    deinit { home.take(left.load(ordering: .relaxed), of: pool) }
  }

  /// For a copy whose room was looked at.
  package func promise(_ bytes: UInt64, on device: UInt64) -> Promise {
    let bytes = min(bytes, Self.most)
    let pool = Self.pool(device)
    rest.withLock { $0[pool, default: 0] += bytes }
    return Promise(bytes, of: pool, self)
  }

  /// The room for a copy in the folder.
  package func ask(_ bytes: UInt64, in folder: any Folder) throws(Failure) -> Promise {
    let device = try asMachine { () throws(SystemError) in try folder.device() }
    // First, so that of two that ask together none takes the room of the other.
    let promise = promise(bytes, on: device)
    // Before the look: what is written in between counts twice, and never not at all.
    let others = promised(on: device) - min(bytes, Self.most)
    let room = try asMachine { () throws(SystemError) in try folder.room() }
    let left = room.free - min(room.free, floor(room.total))
    if bytes <= left - min(left, others) { return promise }
    throw Self.lack(of: bytes, left: left, "the copies of its pictures need", folder.path)
  }

  /// Why there is no room for pictures.
  /// - Parameter left: without the room that other copies keep.
  package static func lack(
    of bytes: UInt64, left: UInt64, _ need: String, _ path: String
  ) -> Failure {
    if bytes <= left {
      return Failure(
        .machine, code: "pictures.room",
        reason: "\(need) \(words(bytes)), and other pictures are copied first")
    }
    return Failure(
      .machine, code: "pictures.room",
      reason: "\(need) \(words(bytes)), and the file system of \(path) has room for \(words(left))",
      advice: "Make room, or lower FreeSpace= in darkroomd.conf")
  }

  package static func words(_ bytes: UInt64) -> String {
    bytes < 10 << 20 ? "\(bytes >> 10) KiB" : "\(bytes >> 20) MiB"
  }
}
