// SPDX-License-Identifier: Apache-2.0
// STATE/quarantine: inputs that killed their worker twice, each with its story beside it, and how often a
// list's bytes have done so. Bounded: what is oldest goes. Can raise what the kernel says. Two threads
// may use it at once: every file comes whole, by rename, under a name of its own.
//
//   12-3  12-3.txt                     a picture: list, photo
//   list-9f86d081884c7d65  ….txt       a list, by the first 16 hex digits of its SHA-256
//   list-9f86d081884c7d65.died         how many workers died over these bytes

package import Vocabulary

package struct Quarantine: Sendable {
  /// So many workers an input may kill.
  package static let maximumDeaths = 2
  package static let maximumEntries = 200
  package static let maximumBytes: UInt64 = 512 << 20
  private static let mode: UInt32 = 0o640

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

  /// Copies the input under the stem's name and tells its story beside it; nothing where that is done.
  /// What is larger than all that may be kept leaves its story alone.
  package func setAside(
    _ input: (any OpenFile)?, as stem: String, _ story: PoisonStory
  ) throws(SystemError) {
    let name = Self.name(stem)
    let text = Self.name("\(stem).txt")
    if try folder.has(text) { return }
    if let input, try input.status().size <= maximumBytes {
      try put(name) { file throws(SystemError) in
        _ = try FileCopy.copy(input, to: file, upTo: maximumBytes, unless: { false })
      }
    }
    try put(text) { file throws(SystemError) in try file.write(Array(story.text.utf8), at: 0) }
    try trim(keeping: stem)
  }

  // MARK: Deaths over lists

  func deaths(sha256: String) throws(SystemError) -> Int {
    let name = Self.name("\(Self.stem(sha256: sha256)).died")
    guard let bytes = try ListFolder.contents(name, in: folder, upTo: 100) else { return 0 }
    let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    // Other bytes whose digests begin alike have killed nobody.
    guard words.count == 2, words[1] == sha256 else { return 0 }
    return Int(words[0]) ?? 0
  }

  func note(deaths: Int, sha256: String) throws(SystemError) {
    let stem = Self.stem(sha256: sha256)
    try put(Self.name("\(stem).died")) { file throws(SystemError) in
      try file.write(Array("\(deaths) \(sha256)\n".utf8), at: 0)
    }
    try trim(keeping: stem)
  }

  /// It was not the list's fault.
  func forget(sha256: String) throws(SystemError) {
    try folder.removeIfThere(Self.name("\(Self.stem(sha256: sha256)).died"))
    try folder.sync()
  }

  // MARK: Files

  private static func name(_ text: String) -> FileName {
    guard let name = FileName(text) else { preconditionFailure("digits and letters are a name") }
    return name
  }

  private func put(
    _ name: FileName, _ write: (any OpenFile) throws(SystemError) -> Void
  ) throws(SystemError) {
    let temporary = Self.name(".new-\(name)")
    try folder.removeIfThere(temporary)
    let file = try folder.open(temporary, .create)
    try write(file)
    try folder.setMode(Self.mode, of: temporary)
    try file.sync()
    try folder.rename(temporary, to: folder, as: name, replacing: true)
    try folder.sync()
  }

  private struct Entry {
    var names: [FileName] = []
    var bytes: UInt64 = 0
    var modified: Int64 = .min
  }

  private func trim(keeping kept: String) throws(SystemError) {
    var entries: [String: Entry] = [:]
    for name in try folder.names() {
      let text = String(decoding: name.bytes, as: UTF8.self)
      // What is being written, and what a crash left of that, begins with a point.
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
    // Another thread may be writing what begins with a point.
    for (stem, entry) in oldest where stem != kept && !stem.hasPrefix(".") {
      if count <= maximumEntries, bytes <= maximumBytes { return }
      for name in entry.names { try folder.removeIfThere(name) }
      count -= 1
      bytes -= entry.bytes
    }
  }
}
