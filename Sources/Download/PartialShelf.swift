// SPDX-License-Identifier: Apache-2.0
// The folder of partial files, each named by the digest of its URL, with its notes beside it. Memory knows
// the files that another attempt can resume, each for the user whose transfer began it. Files without usable notes are
// removed, and so are files above the limits of age, count and total size: the oldest, and first from the user with the most.
// `FlightTable` prevents two opens of one URL at once.
// Every call but `holds`, `create`, `count` and `bytes` may wait for the disk. Raises `SystemError`.
// Concurrency model: `state` guards the known files; the disk is used outside it.

import Digests
import Files
import Synchronization
package import Vocabulary

package final class PartialShelf: Sendable {
  package struct Limits: Equatable, Sendable {
    package var count = 4096
    package var bytes: UInt64 = 4 << 30
    package var age = Duration.seconds(7 * 86400)
    /// The length at which a growing file gets its first note. A smaller file starts over after a crash:
    /// downloading it again costs as little as verifying it.
    package var firstMark: UInt64 = 262_144
    /// Bytes that a transfer writes at once. Each running transfer holds twice as many in memory.
    package var portion = 40_960

    package init() {}
  }

  private struct Known {
    var size: UInt64
    /// Milliseconds since 1970.
    var time: UInt64
    let owner: UInt32
  }

  /// The files of one user.
  private struct Holding {
    /// The newest first.
    var files: [(name: FileName, known: Known)] = []
    var bytes: UInt64 = 0
  }

  private let folder: any Folder
  private let clock: any Timekeeper
  private let limits: Limits
  private let state = Mutex<[FileName: Known]>([:])

  private static let piece = 262_144

  /// Finds the files of earlier runs, and removes those that cannot be resumed.
  package init(_ folder: any Folder, clock: any Timekeeper, limits: Limits = Limits()) {
    self.folder = folder
    self.clock = clock
    self.limits = limits
    recover()
  }

  /// `HEX.part`, where HEX is the digest of the URL.
  static func name(of url: String) -> FileName {
    FileName(keeping: url, suffix: ".part")
  }

  // MARK: opening

  package var count: Int { state.withLock { $0.count } }
  package var bytes: UInt64 { state.withLock { $0.values.reduce(0) { $0 + $1.size } } }

  func holds(_ url: String) -> Bool {
    state.withLock { state in !state.isEmpty && state[Self.name(of: url)] != nil }
  }

  /// An empty file; its first byte creates it on disk.
  func create(_ url: String, of owner: UInt32 = 0) -> PartialFile {
    PartialFile(of: url, on: self, owner: owner)
  }

  /// Creates the empty file on disk and replaces an existing one.
  func make(_ url: String) throws(SystemError) -> any OpenFile {
    try folder.openAnew(Self.name(of: url))
  }

  func notes(of url: String) throws(SystemError) -> any OpenFile {
    try folder.open(Self.name(of: url).note, .ensure)
  }

  var firstMark: UInt64 { limits.firstMark }
  var portionSize: Int { limits.portion }

  /// The kept bytes, as far as the notes prove them, and their entity. Reads and verifies the whole file.
  /// Returns an empty file and no entity when nothing can be resumed. The kept bytes stay those of their first owner.
  func reopen(
    _ url: String, of owner: UInt32 = 0
  ) throws(SystemError) -> (file: PartialFile, entity: EntityFacts?) {
    let name = Self.name(of: url)
    let known = state.withLock { $0.removeValue(forKey: name) }
    if let found = try? kept(url, name) {
      let file = PartialFile(
        found.file, of: url, on: self, owner: known?.owner ?? owner, kept: found.bytes,
        entity: found.entity)
      return (file, found.entity)
    }
    try remove(name)
    return (create(url, of: owner), nil)
  }

  private func note(of name: FileName) -> PartialNote? {
    noteBytes(name).flatMap(PartialNote.init(reading:))
  }

  private func noteBytes(_ name: FileName) -> [UInt8]? {
    try? folder.open(name.note, .read).read(at: 0, upTo: PartialNote.longest + 1)
  }

  private func kept(_ url: String, _ name: FileName) throws(SystemError) -> (
    file: any OpenFile, bytes: KeptBytes, entity: EntityFacts
  )? {
    guard let note = note(of: name), note.head.url == url, note.head.entity.strongValidator != nil
    else {
      return nil
    }
    let file = try folder.open(name, .write)
    let status = try file.status()
    // A file with a second name may be a photo's original, which must not change.
    guard status.kind == .file, status.links == 1 else { return nil }
    // For a file that looks complete, the last byte is requested again, so the origin has to confirm its
    // length.
    let last = note.head.entity.total.map { $0 - min(1, $0) } ?? .max
    guard let kept = try Self.prove(file, note.marks, upTo: min(status.size, last)), kept.size > 0
    else { return nil }
    try file.truncate(to: kept.size)
    return (file, kept, note.head.entity)
  }

  /// Verifies the file up to the last mark whose digest matches, at most `limit` bytes.
  private static func prove(
    _ file: any OpenFile, _ marks: [PartialNote.Mark], upTo limit: UInt64
  ) throws(SystemError) -> KeptBytes? {
    var hash = SHA256()
    var head: [UInt8] = []
    var size: UInt64 = 0
    var proven: KeptBytes?
    for mark in marks {
      var cut: KeptBytes?
      while size < mark.length {
        let end = size < limit ? min(mark.length, limit) : mark.length
        let bytes = try file.read(at: size, upTo: Int(min(end - size, UInt64(piece))))
        if bytes.isEmpty { return proven }
        hash.add(bytes)
        size += UInt64(bytes.count)
        if head.count < PartialFile.headSize {
          head += bytes.prefix(PartialFile.headSize - head.count)
        }
        if size == limit { cut = KeptBytes(size: size, hash: hash, head: head) }
      }
      guard hash.digest() == mark.digest else { return proven }
      if size > limit { return cut ?? proven }
      proven = KeptBytes(size: size, hash: hash, head: head)
    }
    return proven
  }

  // MARK: leaving

  /// Call when the transfer failed or was cancelled. Keeps the file if another attempt can resume it.
  func keep(_ file: PartialFile) {
    var file = file
    if file.settle() { know(file.url, file.size, of: file.owner) } else { forget(file) }
  }

  /// Call when a whole file could not get its other name. Keeps the file if the origin can confirm its last
  /// byte later.
  func keep(_ landing: Landing, _ file: any OpenFile, of owner: UInt32 = 0) {
    let url = landing.url.text
    let entity = landing.reply.entity
    let note = PartialNote(url: url, entity: entity, owner: owner)
    let mark = PartialNote.Mark(length: landing.size, digest: landing.digest)
    guard entity.strongValidator != nil, (try? file.status().links) == 1,
      (try? write(note.head.bytes + note.line(mark), ofWhole: url)) != nil
    else {
      try? remove(Self.name(of: url))
      return
    }
    know(url, landing.size, of: owner)
  }

  private func write(_ notes: [UInt8], ofWhole url: String) throws(SystemError) {
    let file = try self.notes(of: url)
    try file.truncate(to: 0)
    try file.write(notes, at: 0)
  }

  private func know(_ url: String, _ size: UInt64, of owner: UInt32) {
    let name = Self.name(of: url)
    state.withLock { $0[name] = Known(size: size, time: clock.wallTime(), owner: owner) }
    trim(latest: name)
  }

  /// Like `forget(_ url:)`, for a file that may never have reached the disk.
  func forget(_ file: PartialFile) {
    if file.isMade { forget(file.url) }
  }

  /// Removes a file that no photo wants any more.
  func forget(_ url: String) {
    let name = Self.name(of: url)
    state.withLock { $0[name] = nil }
    try? remove(name)
  }

  /// Removes the notes of a whole file. Call before the file gets other names; `removeName` follows when no
  /// photo waits for it.
  func removeNotes(of url: String) throws(SystemError) {
    try folder.removeIfThere(Self.name(of: url).note)
  }

  func link(_ url: String, to target: any Folder, as name: FileName) throws(SystemError) {
    try folder.link(Self.name(of: url), toEmpty: target, as: name)
  }

  /// For a folder that may be on another disk.
  func linkOrCopy(_ url: String, to target: any Folder, as name: FileName) throws(SystemError) {
    try folder.linkOrCopy(Self.name(of: url), toEmpty: target, as: name)
  }

  func move(_ url: String, to target: any Folder, as name: FileName) throws(SystemError) {
    try folder.rename(Self.name(of: url), to: target, as: name, replacing: true)
  }

  /// Removes the file's name; its notes are already gone.
  func removeName(of url: String) { try? folder.removeIfThere(Self.name(of: url)) }

  /// Removes all files. Call only when no list is open, so that no photo names these URLs.
  package func clear() {
    let names = state.withLock { state in
      defer { state = [:] }
      return Array(state.keys)
    }
    for name in names { try? remove(name) }
  }

  private func remove(_ name: FileName) throws(SystemError) {
    try folder.removeIfThere(name.note)
    try folder.removeIfThere(name)
  }

  /// `latest` counts as the newest file.
  private func trim(latest: FileName?) {
    let now = clock.wallTime()
    let gone = state.withLock { state -> [FileName] in
      let old = state.filter { _, known in
        now > known.time && .milliseconds(now - known.time) > limits.age
      }.map(\.key)
      for name in old { state[name] = nil }
      let surplus = surplus(state, latest)
      for name in surplus { state[name] = nil }
      return old + surplus
    }
    for name in gone { try? remove(name) }
  }

  /// The files above the limits of count and total size. The files of a user are removed because the user has many
  /// files, never because another user has more.
  private func surplus(_ state: [FileName: Known], _ latest: FileName?) -> [FileName] {
    var (count, bytes) = (state.count, state.values.reduce(0) { $0 + $1.size })
    guard count > limits.count || bytes > limits.bytes else { return [] }
    var holdings: [UInt32: Holding] = [:]
    let newestFirst = state.sorted {
      ($0.key == latest ? .max : $0.value.time) > ($1.key == latest ? .max : $1.value.time)
    }
    for (name, known) in newestFirst {
      holdings[known.owner, default: Holding()].files.append((name, known))
      holdings[known.owner, default: Holding()].bytes += known.size
    }
    var gone: [FileName] = []
    while count > limits.count || bytes > limits.bytes {
      let most = holdings.max { one, other in
        count > limits.count
          ? (one.value.files.count, one.key) < (other.value.files.count, other.key)
          : (one.value.bytes, one.key) < (other.value.bytes, other.key)
      }
      guard let owner = most?.key, let file = holdings[owner]?.files.popLast() else { break }
      holdings[owner]?.bytes -= file.known.size
      (count, bytes) = (count - 1, bytes - file.known.size)
      gone.append(file.name)
    }
    return gone
  }

  // MARK: start

  /// Keeps regular files of earlier runs that have a single name, and notes whose head is intact; removes everything else.
  private func recover() {
    let names = Set((try? folder.names()) ?? [])
    var found: [FileName: Known] = [:]
    for name in names where name.hasSuffix(".part") {
      guard names.contains(name.note), let status = try? folder.status(of: name),
        status.kind == .file, status.links == 1, let bytes = noteBytes(name),
        let owner = PartialNote.owner(reading: bytes)
      else { continue }
      let time = UInt64(max(0, status.modified / 1_000_000))
      found[name] = Known(size: status.size, time: time, owner: owner)
    }
    let wanted = Set(found.keys).union(found.keys.map(\.note))
    for name in names where !wanted.contains(name) { try? folder.removeIfThere(name) }
    state.withLock { $0 = found }
    trim(latest: nil)
  }
}
