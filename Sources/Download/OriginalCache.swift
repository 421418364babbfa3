// SPDX-License-Identifier: Apache-2.0
// Originals by their URL, for the next list that names them: never used without asking the origin whether
// they are still what it has, never before size and digest are what they were. Off unless it is given
// room; what was used longest ago goes first. Nothing here is needed: whatever fails, the photo is simply
// downloaded.
// Concurrency model: `state` guards what is known; files are touched outside it. Nobody opens the same URL
// twice at once: the flights see to that.

import Digests
import Synchronization
package import Vocabulary

package struct CacheCounts: Equatable, Sendable {
  /// 0: the cache is off.
  package var limit: UInt64 = 0
  package var entries = 0
  package var bytes: UInt64 = 0
  /// Since the start: used without a download, and looked for or asked for in vain.
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
    /// The oldest last, as it was when this was made.
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

    /// Takes out what was used longest ago until the rest has room: mostly one for each that comes, so that
    /// no transfer waits while a thousand files are removed.
    mutating func trim() -> [FileName] {
      var gone: [FileName] = []
      while bytes > limit || known.count > OriginalCache.mostEntries, let name = oldest() {
        forget(name)
        gone.append(name)
      }
      return gone
    }

    /// The order is made once for all that it names: what came or was used since is younger.
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
  private static let piece = 262_144

  private let folder: any Folder
  private let clock: any Timekeeper
  private let state = Mutex(State())

  /// What an earlier run left is known again; how much of it stays is said by `change`.
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

  package func change(limit: UInt64) {
    let gone = state.withLock { state in
      state.limit = limit
      return state.trim()
    }
    for name in gone { remove(name) }
  }

  /// Throws all away; the counts go on.
  package func clear() {
    let gone = state.withLock { state in
      let names = Array(state.known.keys)
      state.forgetAll()
      return names
    }
    for name in gone { remove(name) }
  }

  // MARK: use

  /// What is larger than may be downloaded by now is none.
  func mayHold(_ url: String, upTo size: UInt64) -> Bool {
    state.withLock { state in
      guard state.limit > 0 else { return false }
      if let known = state.known[Self.name(of: url)], known.size <= size { return true }
      state.misses += 1
      return false
    }
  }

  /// Reads all of it: what is not as it was is thrown away.
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

  /// The origin still has it.
  func used(_ url: String) {
    let now = clock.wallTime()
    let name = Self.name(of: url)
    let isKnown = state.withLock { state in
      state.hits += 1
      state.known[name]?.used = now
      return state.known[name] != nil
    }
    // Written anew so that a restart knows, too.
    guard isKnown, let bytes = try? noteBytes(name) else { return }
    try? folder.open(name.note, .write).write(bytes, at: 0)
  }

  /// The origin has something else by now.
  func missed() { state.withLock { $0.misses += 1 } }

  func link(_ url: String, to target: any Folder, as name: FileName) throws(SystemError) {
    try folder.link(Self.name(of: url), toEmpty: target, as: name)
  }

  /// Keeps what landed, where it can be asked for again and fits; `link` gives the file a name here.
  func keep(
    _ landing: Landing, _ link: (any Folder, FileName) throws(SystemError) -> Void
  ) {
    let url = landing.url.text
    let limit = state.withLock { $0.limit }
    let entity = landing.reply.entity
    guard landing.size > 0, landing.size <= limit, entity.isRecognizable, entity.mayBeKept,
      landing.reply.isEndSure
    else { return }
    let name = Self.name(of: url)
    let head = NoteHead(
      kind: "cache", url: url, entity: entity,
      others: ["size": "\(landing.size)", "sha256": landing.digest.hex])
    do throws(SystemError) {
      // Without its note it is nothing: what a crash leaves between the two is thrown away.
      try folder.removeIfThere(name.note)
      try link(folder, name)
      try folder.openAnew(name.note).write(head.bytes, at: 0)
    } catch { return remove(name) }
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
    var hash = SHA256()
    var head: [UInt8] = []
    var offset: UInt64 = 0
    while true {
      let bytes = try file.read(at: offset, upTo: Self.piece)
      if bytes.isEmpty { break }
      if offset == 0 { head = Array(bytes.prefix(IncomingFile.headSize)) }
      hash.add(bytes)
      offset += UInt64(bytes.count)
    }
    guard offset == size, hash.digest() == digest else { return nil }
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
