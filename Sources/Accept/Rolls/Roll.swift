// SPDX-License-Identifier: Apache-2.0
// Pictures that are dropped together, as one look finds them: the pictures in a folder of the inbox and below it, or
// the pictures of one user in the inbox itself. They become a list. A value.

internal import Files
package import Vocabulary

package struct Roll: Equatable, Sendable {
  package struct Picture: Equatable, Sendable {
    /// From the inbox on.
    package let path: [FileName]
    package let status: FileStatus
  }

  /// The identity of a file with several names. The whole inode, because not every file system has numbers that are
  /// unique.
  struct Inode: Hashable {
    private let (device, inode, size): (UInt64, UInt64, UInt64)
    private let (modified, changed): (Int64, Int64)

    /// Nil for a file with one name.
    init?(_ status: FileStatus) {
      if status.links < 2 { return nil }
      (device, inode, size) = (status.device, status.inode, status.size)
      (modified, changed) = (status.modified, status.changed)
    }
  }

  /// Which names of a file need a copy of it: one of each thousand. File systems limit the names of one file.
  struct Copies {
    static let mostNames = 1000
    private var names: [Inode: Int] = [:]

    mutating func needsCopy(_ status: FileStatus) -> Bool {
      guard let inode = Inode(status) else { return true }
      let count = names[inode] ?? 0
      names[inode] = count + 1
      return count % Self.mostNames == 0
    }
  }

  /// A file beside the pictures, which stays.
  package struct Remainder: Equatable, Sendable {
    package let path: [FileName]
    package let reason: IgnoredReason

    package var text: String { Roll.text(path) }
  }

  /// The name of the list that is made of several pictures in the inbox itself.
  static let looseName = FileName(literal: "pictures")
  /// Limits of one roll: entries of its folders, and folders inside each other.
  static let maximumEntries = 100_000
  static let deepest = 16
  /// Bytes of all paths.
  static let maximumBytes = 16 << 20

  package let key: Candidate.Key
  /// The status of its folder. The inbox's own times say nothing about the pictures of one user.
  package let folder: FileStatus
  /// By path.
  package private(set) var pictures: [Picture]
  package private(set) var remainders: [Remainder]
  /// Why the daemon cannot take the pictures: `final` if a person must help, else trouble of this machine.
  package let obstacle: Failure?
  /// Of all folders of the roll, with those that are neither pictures nor remainders.
  let entries: Int

  init(
    _ key: Candidate.Key, _ folder: FileStatus, pictures: [Picture], remainders: [Remainder] = [],
    obstacle: Failure? = nil, entries: Int = 0
  ) {
    self.key = key
    self.folder = folder
    self.pictures = pictures.sorted { Self.isBefore($0.path, $1.path) }
    self.remainders = remainders.sorted { Self.isBefore($0.path, $1.path) }
    self.obstacle = obstacle
    self.entries = entries
  }

  private static func isBefore(_ one: [FileName], _ other: [FileName]) -> Bool {
    one.lexicographicallyPrecedes(other)
  }

  /// Step 1 of a claim asks for writers, on the disk.
  var finding: Probe {
    if let obstacle {
      return obstacle.kind == .final ? .unreadable(obstacle) : .troubled(obstacle)
    }
    return pictures.isEmpty ? .noPictures : .unknown
  }

  /// The names at the start of each path that are not part of the photo's name.
  var base: Int { key.place == .inbox ? 1 : 0 }

  /// Of the whole roll: the size of the copies of all pictures and, in place of a time, a sum over everything that a
  /// change would change.
  package var status: FileStatus {
    var mix = Mix()
    mix.add(folder.inode)
    if key.place == .inbox { mix.add(UInt64(bitPattern: folder.modified)) }
    var size: UInt64 = 0
    var copies = Copies()
    for picture in pictures {
      for name in picture.path { mix.add(name.bytes) }
      let status = picture.status
      mix.add(status.inode)
      mix.add(status.size)
      mix.add(UInt64(bitPattern: status.modified))
      mix.add(UInt64(bitPattern: status.changed))
      if !copies.needsCopy(status) { continue }
      // A sparse file has any size.
      size = min(size, UInt64(Int64.max)) + min(status.size, UInt64(Int64.max))
    }
    for remainder in remainders { for name in remainder.path { mix.add(name.bytes) } }
    return FileStatus(
      kind: .folder, device: folder.device, inode: folder.inode, size: size,
      owner: folder.owner, mode: folder.mode, modified: Int64(bitPattern: mix.sum), changed: 0)
  }

  /// FNV-1a. It only has to tell one look from the next.
  private struct Mix {
    private(set) var sum: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func add(_ bytes: [UInt8]) {
      for byte in bytes { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
      sum = (sum ^ 0x2F) &* 0x100_0000_01b3
    }

    mutating func add(_ number: UInt64) {
      sum = (sum ^ number) &* 0x100_0000_01b3
      sum ^= sum >> 32
    }
  }

  // MARK: names

  /// The name of the list: of the folder, or of the only picture.
  var listName: FileName {
    let stem: [UInt8] =
      if key.place == .inbox {
        key.name.bytes
      } else if pictures.count == 1, let name = pictures[0].path.last {
        Array(PictureName(name.bytes).stem)
      } else {
        Self.looseName.bytes
      }
    return FileName(made: FreshName.shortened(stem[...], to: 255 - Self.ending.count) + Self.ending)
  }

  private static let ending = Array(".plist".utf8)

  /// For people: the path from the inbox on.
  static func text(_ path: some Collection<FileName>) -> String {
    path.map { "\($0)" }.joined(separator: "/")
  }
}
