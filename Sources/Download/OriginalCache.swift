// SPDX-License-Identifier: Apache-2.0
// Originals by URL, for later lists that name them. An entry is used only after its size and digest were
// verified and the origin confirmed that it has not changed. Off unless it has room; the least recently used
// entry is evicted first. The cache is optional: after any failure the photo is downloaded.
// Every call but `counts`, `mayHold`, `takes`, `missed` and `limit` may wait for the disk.
// Concurrency model: `state` guards the known entries; the disk is used outside it. `FlightTable` prevents
// two opens of one URL at once.

import Digests
import Files
import Synchronization
package import Vocabulary

package struct CacheCounts: Equatable, Sendable {
  /// 0 when the cache is off.
  package var limit: UInt64 = 0
  package var entries = 0
  package var bytes: UInt64 = 0
  /// Since the start. A hit needed no download; a miss found no entry, or the origin had a new version.
  package var hits: UInt64 = 0
  package var misses: UInt64 = 0

  package init() {}
}

package final class OriginalCache: Sendable {
  struct Found {
    let file: any OpenFile
    let entity: EntityFacts
    let size: UInt64
    let digest: SHA256Digest
    let head: [UInt8]
  }

  private struct Known {
    var size: UInt64
    /// Milliseconds since 1970.
    var used: UInt64
  }

  private struct State {
    var limit: UInt64 = 0
    var known: [FileName: Known] = [:]
    var bytes: UInt64 = 0
    var hits: UInt64 = 0
    var misses: UInt64 = 0
    /// Entries by last use, the oldest last, as of the last sort.
    private var line: [(name: FileName, used: UInt64)] = []

    mutating func forget(_ name: FileName) {
      if let old = known.removeValue(forKey: name) { bytes -= old.size }
    }

    mutating func forgetAll() { (known, bytes, line) = ([:], 0, []) }

    mutating func add(_ name: FileName, _ entry: Known) {
      forget(name)
      known[name] = entry
      bytes += entry.size
    }

    /// Removes the least recently used entries until the rest fits. Usually one entry leaves for each that
    /// arrives, so no landing waits for the removal of a thousand files.
    mutating func trim() -> [FileName] {
      var gone: [FileName] = []
      while bytes > limit || known.count > OriginalCache.mostEntries, let name = oldest() {
        forget(name)
        gone.append(name)
      }
      return gone
    }

    /// One sort serves all entries in `line`: an entry added or used since then is younger.
    private mutating func oldest() -> FileName? {
      if let name = nextInLine() { return name }
      line = known.map { ($0.key, $0.value.used) }.sorted { $0.used > $1.used }
      return nextInLine()
    }

    private mutating func nextInLine() -> FileName? {
      while let (name, used) = line.popLast() {
        if known[name]?.used == used { return name }
      }
      return nil
    }
  }

  private static let mostEntries = 16384
  private static let longestNote = 65536

  private let folder: any Folder
  private let clock: any Timekeeper
  private let state = Mutex(State())

  /// Finds the entries of earlier runs; the first call of `limit` trims them.
  package init(_ folder: any Folder, clock: any Timekeeper) {
    self.folder = folder
    self.clock = clock
    recover()
  }

  package var counts: CacheCounts {
    state.withLock { state in
      var counts = CacheCounts()
      (counts.limit, counts.entries, counts.bytes) = (state.limit, state.known.count, state.bytes)
      (counts.hits, counts.misses) = (state.hits, state.misses)
      return counts
    }
  }

  /// Sets the size and returns the files that the caller must pass to `remove`.
  func limit(to bytes: UInt64) -> [FileName] {
    state.withLock { state in
      state.limit = bytes
      return state.trim()
    }
  }

  /// Removes the files, except those that were added again since.
  func remove(_ names: [FileName]) {
    for name in names where state.withLock({ $0.known[name] == nil }) { remove(name) }
  }

  /// Removes all entries; the counts of hits and misses stay.
  package func clear() {
    let gone = state.withLock { state in
      let names = Array(state.known.keys)
      state.forgetAll()
      return names
    }
    for name in gone { remove(name) }
  }

  // MARK: use

  /// An entry larger than the current MaximumSize= does not count.
  func mayHold(_ url: String, upTo size: UInt64) -> Bool {
    state.withLock { state in
      guard state.limit > 0 else { return false }
      if let known = state.known[Self.name(of: url)], known.size <= size { return true }
      state.misses += 1
      return false
    }
  }

  /// Reads and verifies the whole entry; removes an entry that fails.
  func find(_ url: String) -> Found? {
    let name = Self.name(of: url)
    if let found = try? read(url, name) { return found }
    state.withLock { state in
      state.forget(name)
      state.misses += 1
    }
    remove(name)
    return nil
  }

  /// Counts a hit: the origin confirmed the entry.
  func used(_ url: String) {
    let now = clock.wallTime()
    let name = Self.name(of: url)
    let isKnown = state.withLock { state in
      state.hits += 1
      state.known[name]?.used = now
      return state.known[name] != nil
    }
    // Rewriting the note updates its time, so that a restart knows the last use.
    guard isKnown, let bytes = try? noteBytes(name) else { return }
    try? folder.open(name.note, .write).write(bytes, at: 0)
  }

  /// Counts a miss: the origin has a new version.
  func missed() { state.withLock { $0.misses += 1 } }

  func link(_ url: String, to target: any Folder, as name: FileName) throws(SystemError) {
    try folder.link(Self.name(of: url), toEmpty: target, as: name)
  }

  /// True when the landed body fits and the origin can confirm it later.
  func takes(_ landing: Landing) -> Bool {
    let entity = landing.reply.entity
    return landing.size > 0 && entity.isRecognizable && entity.mayBeKept
      && landing.reply.isEndSure && landing.size <= state.withLock { $0.limit }
  }

  /// Adds the landed body; `link` gives it a name in the folder.
  func keep(
    _ landing: Landing, _ link: (any Folder, FileName) throws(SystemError) -> Void
  ) {
    let url = landing.url.text
    let entity = landing.reply.entity
    let name = Self.name(of: url)
    let head = NoteHead(
      kind: "cache", url: url, entity: entity,
      others: ["size": "\(landing.size)", "sha256": landing.digest.hex])
    do throws(SystemError) {
      // The note comes last: after a crash in between, the start removes a body without a note.
      try folder.removeIfThere(name.note)
      try link(folder, name)
      try folder.openAnew(name.note).write(head.bytes, at: 0)
    } catch {
      state.withLock { $0.forget(name) }
      return remove(name)
    }
    let known = Known(size: landing.size, used: clock.wallTime())
    let gone = state.withLock { state in
      state.add(name, known)
      return state.trim()
    }
    for name in gone { remove(name) }
  }

  // MARK: files

  private static func name(of url: String) -> FileName {
    FileName(keeping: url, suffix: ".body")
  }

  private func noteBytes(_ name: FileName) throws(SystemError) -> [UInt8] {
    try folder.open(name.note, .read).read(at: 0, upTo: Self.longestNote)
  }

  private func read(_ url: String, _ name: FileName) throws(SystemError) -> Found? {
    guard
      let note = NoteHead("cache", reading: try noteBytes(name), others: ["size", "sha256"]),
      note.url == url, let size = note.others["size"].flatMap({ UInt64($0) }),
      let digest = note.others["sha256"].flatMap({ SHA256Digest(hex: Array($0.utf8)) })
    else { return nil }
    let file = try folder.open(name, .read)
    guard try file.status().size == size else { return nil }
    var head: [UInt8] = []
    // Not even a cancelled download leaves it half read: that would look like damage.
    let found = try FileCopy.each(of: file, upTo: size, unless: { false }, failing: { $0 }) {
      bytes, offset throws(SystemError) in
      if offset == 0 { head = Array(bytes.prefix(PartialFile.headSize)) }
    }
    guard found == (size, digest) else { return nil }
    return Found(file: file, entity: note.entity, size: size, digest: digest, head: head)
  }

  private func remove(_ name: FileName) {
    try? folder.removeIfThere(name.note)
    try? folder.removeIfThere(name)
  }

  private func recover() {
    let names = Set((try? folder.names()) ?? [])
    for name in names where name.hasSuffix(".body") {
      guard names.contains(name.note), let body = try? folder.status(of: name),
        let note = try? folder.status(of: name.note), body.kind == .file
      else { continue }
      let used = UInt64(max(0, note.modified / 1_000_000))
      state.withLock { $0.add(name, Known(size: body.size, used: used)) }
    }
    let known = Set(state.withLock { $0.known.keys })
    let wanted = known.union(known.map(\.note))
    for name in names where !wanted.contains(name) { try? folder.removeIfThere(name) }
  }
}
