// SPDX-License-Identifier: Apache-2.0
// STATE/quarantine: inputs that killed their worker twice, each with its story beside it, and the number of
// deaths for a list's bytes. Bounded: the oldest entries are removed. Raises SystemError. Several threads may
// use it at once, even for the same bytes: each writes to a separate name, and files appear whole, by rename.
//
//   12-3  12-3.txt                     a picture: list, photo
//   list-9f86d081884c7d65  ….txt       a list, by the first 16 hex digits of its SHA-256
//   list-9f86d081884c7d65.died         number of workers that died reading these bytes

internal import Files
package import Vocabulary

package struct Quarantine: Sendable {
  /// An input that killed this many workers is set aside.
  package static let maximumDeaths = 2
  package static let maximumEntries = 200
  package static let maximumBytes: UInt64 = 512 << 20
  private static let mode: UInt32 = 0o640
  /// Unfinished files begin with this.
  private static let draft = ".new-"

  private let folder: any Folder
  private let maximumEntries: Int
  private let maximumBytes: UInt64

  package init(
    _ folder: any Folder, maximumEntries: Int = Quarantine.maximumEntries,
    maximumBytes: UInt64 = Quarantine.maximumBytes
  ) {
    self.folder = folder
    self.maximumEntries = maximumEntries
    self.maximumBytes = maximumBytes
  }

  package static func stem(_ photo: PhotoID) -> String { "\(photo.list)-\(photo.number)" }
  static func stem(sha256: String) -> String { "list-\(sha256.prefix(16))" }

  /// Copies the input as `stem` and writes its story beside it, unless the story exists. Of an input larger
  /// than the limit for all, only the story is kept.
  package func setAside(
    _ input: (any OpenFile)?, as stem: String, _ story: PoisonStory
  ) throws(SystemError) {
    if try folder.has(FileName(made: "\(stem).txt")) { return }
    if let input, try input.status().size <= maximumBytes {
      try folder.write(
        wholly: FileName(made: stem), through: FileName(made: "\(Self.draft)\(stem)-\(story.list)"),
        mode: Self.mode
      ) { file throws(SystemError) in
        _ = try FileCopy.copy(input, to: file, upTo: maximumBytes, unless: { false })
      }
    }
    try put(story.text, as: "\(stem).txt", "\(story.list)")
    try trim(keeping: stem)
  }

  // MARK: Deaths over lists

  func deaths(sha256: String) throws(SystemError) -> Int {
    let name = FileName(made: "\(Self.stem(sha256: sha256)).died")
    guard let bytes = try folder.contents(of: name, upTo: 100) else { return 0 }
    let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    // The count may be for other bytes with the same first 16 digits.
    guard words.count == 2, words[1] == sha256 else { return 0 }
    return Int(words[0]) ?? 0
  }

  func note(deaths: Int, sha256: String) throws(SystemError) {
    let stem = Self.stem(sha256: sha256)
    try put("\(deaths) \(sha256)\n", as: "\(stem).died", "died")
    try trim(keeping: stem)
  }

  /// Forgets the deaths: the list was not to blame.
  func forget(sha256: String) throws(SystemError) {
    try folder.removeIfThere(FileName(made: "\(Self.stem(sha256: sha256)).died"))
    try folder.sync()
  }

  // MARK: Files

  private func put(_ text: String, as name: String, _ writer: String) throws(SystemError) {
    try folder.write(
      whole: Array(text.utf8), as: FileName(made: name),
      through: FileName(made: "\(Self.draft)\(name)-\(writer)"), mode: Self.mode)
  }

  private struct Entry {
    var names: [FileName] = []
    var bytes: UInt64 = 0
    var modified: Int64 = .min
  }

  /// Call at the start: removes files that a crash left unfinished.
  func sweep() throws(SystemError) {
    for name in try folder.names() where name.bytes.starts(with: Self.draft.utf8) {
      try folder.removeIfThere(name)
    }
  }

  private func trim(keeping kept: String) throws(SystemError) {
    var entries: [String: Entry] = [:]
    for name in try folder.names() {
      let text = String(decoding: name.bytes, as: UTF8.self)
      // Unfinished files, including files that a crash left, begin with a dot.
      let stem = text.hasPrefix(".") ? text : String(text.prefix { $0 != "." })
      guard let status = try? folder.status(of: name), status.kind == .file else { continue }
      entries[stem, default: Entry()].names.append(name)
      entries[stem, default: Entry()].bytes += status.size
      entries[stem, default: Entry()].modified = max(
        entries[stem]?.modified ?? .min, status.modified)
    }
    var count = entries.count
    var bytes = entries.values.reduce(0) { $0 + $1.bytes }
    let oldest = entries.sorted { ($0.value.modified, $0.key) < ($1.value.modified, $1.key) }
    // Another thread may be writing a file that begins with a dot.
    for (stem, entry) in oldest where stem != kept && !stem.hasPrefix(".") {
      if count <= maximumEntries, bytes <= maximumBytes { return }
      for name in entry.names { try folder.removeIfThere(name) }
      count -= 1
      bytes -= entry.bytes
    }
  }
}
