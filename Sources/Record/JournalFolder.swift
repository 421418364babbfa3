// SPDX-License-Identifier: Apache-2.0
// The folder STATE/journal: lists its files by number, creates and removes them, and copies bad bytes aside.
// Raises `SystemError`.

package import Vocabulary

package struct JournalFolder: Sendable {
  /// The newest files of bad bytes that are kept.
  static let keptAside = 8
  /// No segment and no list has this number or a larger one.
  static let endOfNumbers: UInt64 = 1_000_000_000_000_000

  package let folder: any Folder

  package init(_ folder: any Folder) { self.folder = folder }

  package static func log(_ number: UInt64) -> FileName { name(number, ".log") }
  package static func snapshot(_ number: UInt64) -> FileName { name(number, ".snap") }
  package static func end(_ number: UInt64) -> FileName { name(number, ".end") }

  private static func name(_ number: UInt64, _ ending: String, before: String = "") -> FileName {
    var bytes = Array(before.utf8)
    bytes.append(decimal: number, digits: 16)
    return FileName(made: bytes + ending.utf8)
  }

  struct Listing {
    var logs: [UInt64] = []
    var snapshots: [UInt64] = []
    /// Segments with a file for their durable length.
    var ends: [UInt64] = []
    /// Files that a crash left unfinished.
    var unfinished: [FileName] = []
    var aside: [FileName] = []

    /// A number is never used again, not even if only the length of its segment is left.
    var highest: UInt64 { max(logs.last ?? 0, snapshots.last ?? 0, ends.last ?? 0) }
  }

  func listing() throws(SystemError) -> Listing {
    var listing = Listing()
    for name in try folder.names() {
      if name.hasSuffix(".new") {
        listing.unfinished.append(name)
      } else if name.hasSuffix(".log"), let number = Self.number(name, endingBytes: 4) {
        listing.logs.append(number)
      } else if name.hasSuffix(".snap"), let number = Self.number(name, endingBytes: 5) {
        listing.snapshots.append(number)
      } else if name.hasSuffix(".end"), let number = Self.number(name, endingBytes: 4) {
        listing.ends.append(number)
      } else if name.bytes.starts(with: Array("torn-".utf8))
        || name.bytes.starts(with: Array("damaged-".utf8))
      {
        listing.aside.append(name)
      }
    }
    listing.logs.sort()
    listing.snapshots.sort()
    listing.ends.sort()
    return listing
  }

  private static func number(_ name: FileName, endingBytes: Int) -> UInt64? {
    let digits = name.bytes.dropLast(endingBytes)
    guard digits.count == 16, digits.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
    return UInt64(String(decoding: digits, as: UTF8.self)).flatMap {
      $0 < Self.endOfNumbers ? $0 : nil
    }
  }

  /// The name under which a file is prepared. It gets its final name once it is durable.
  func unfinished(_ name: FileName) -> FileName { FileName(made: name.bytes + ".new".utf8) }

  /// Creates an empty file under the unfinished name.
  func prepare(_ name: FileName) throws(SystemError) -> any OpenFile {
    let unfinished = unfinished(name)
    try folder.removeIfThere(unfinished)
    return try folder.open(unfinished, .create)
  }

  func appear(_ name: FileName) throws(SystemError) {
    try folder.rename(unfinished(name), to: folder, as: name, replacing: false)
  }

  /// Saves bytes as `torn-NUMBER` or `damaged-NUMBER` for inspection, whole or not at all. An existing copy
  /// stays.
  func setAside(_ bytes: [UInt8], _ word: String, segment: UInt64) throws(SystemError) {
    let name = Self.name(segment, "", before: "\(word)-")
    if try folder.has(name) { return }
    do throws(SystemError) {
      let file = try prepare(name)
      try file.write(bytes, at: 0)
      try file.sync()
      try appear(name)
    } catch {
      try? folder.removeIfThere(unfinished(name))
      throw error
    }
    try folder.sync()
    let aside = try listing().aside.sorted {
      $0.bytes.suffix(16).lexicographicallyPrecedes($1.bytes.suffix(16))
    }
    for old in aside.dropLast(Self.keptAside) { try folder.removeIfThere(old) }
  }

  /// Removes the files of generations before `number`. The next call retries a failed removal.
  func prune(below number: UInt64) {
    guard let listing = try? listing() else { return }
    for old in listing.logs where old < number { try? folder.removeIfThere(Self.log(old)) }
    for old in listing.snapshots where old < number {
      try? folder.removeIfThere(Self.snapshot(old))
    }
    for old in listing.ends where old < number { try? folder.removeIfThere(Self.end(old)) }
  }
}
