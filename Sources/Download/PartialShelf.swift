// SPDX-License-Identifier: Apache-2.0
// The folder of partial files, each under the digest of its URL, with its notes beside it. What is there
// and may be gone on with is known in memory; everything that is too old, too much, or not proven goes.
// Nobody opens the same URL twice at once: the flights see to that.
// Concurrency model: `state` guards what is known; files are touched outside it.

import Digests
import Synchronization
package import Vocabulary

package final class PartialShelf: Sendable {
  package struct Limits: Equatable, Sendable {
    package var count = 4096
    package var bytes: UInt64 = 4 << 30
    package var age = Duration.seconds(7 * 86400)
    /// What is smaller than this is asked for again as fast as it is looked for: after a crash it is
    /// begun anew.
    package var firstMark: UInt64 = 262_144

    package init() {}
  }

  private struct Known {
    var size: UInt64
    /// Milliseconds since 1970.
    var time: UInt64
  }

  private let folder: any Folder
  private let clock: any Timekeeper
  private let limits: Limits
  private let state = Mutex<[FileName: Known]>([:])

  private static let piece = 262_144

  /// What an earlier run left is known again.
  package init(_ folder: any Folder, clock: any Timekeeper, limits: Limits = Limits()) {
    self.folder = folder
    self.clock = clock
    self.limits = limits
    recover()
  }

  /// `…hex digits….part`; what is there in hex is the URL's digest.
  static func name(of url: String) -> FileName {
    FileName(keeping: url, suffix: ".part")
  }

  // MARK: opening

  package var count: Int { state.withLock { $0.count } }
  package var bytes: UInt64 { state.withLock { $0.values.reduce(0) { $0 + $1.size } } }

  func holds(_ url: String) -> Bool {
    state.withLock { state in !state.isEmpty && state[Self.name(of: url)] != nil }
  }

  /// An empty file for what is to come; on the disk only when it is more than a little.
  func create(_ url: String) -> IncomingFile { IncomingFile(of: url, on: self) }

  /// An incoming file's own, empty; what was there goes.
  func make(_ url: String) throws(SystemError) -> any OpenFile {
    try folder.openAnew(Self.name(of: url))
  }

  func notes(of url: String) throws(SystemError) -> any OpenFile {
    try folder.open(Self.name(of: url).note, .ensure)
  }

  /// The length from which on there is something worth noting.
  var firstMark: UInt64 { limits.firstMark }

  /// What has come so far and what it is, as far as both are proven; reads all of it. An empty file
  /// where nothing is.
  func reopen(_ url: String) throws(SystemError) -> (file: IncomingFile, entity: EntityFacts?) {
    let name = Self.name(of: url)
    state.withLock { $0[name] = nil }
    if let found = try? kept(url, name) {
      let file = IncomingFile(
        found.file, of: url, on: self, kept: found.bytes, entity: found.entity)
      return (file, found.entity)
    }
    try remove(name)
    return (create(url), nil)
  }

  private func note(of name: FileName) -> PartialNote? {
    guard let file = try? folder.open(name.note, .read),
      let bytes = try? file.read(at: 0, upTo: PartialNote.longest + 1)
    else { return nil }
    return PartialNote(reading: bytes)
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
    // With another name it may be somebody's original, which must not change.
    guard status.kind == .file, status.links == 1 else { return nil }
    // Of what seems to be whole the last byte is asked for again: so the origin has to say that it is.
    let last = note.head.entity.total.map { $0 - min(1, $0) } ?? .max
    guard let kept = try Self.prove(file, note.marks, upTo: min(status.size, last)), kept.size > 0
    else { return nil }
    try file.truncate(to: kept.size)
    return (file, kept, note.head.entity)
  }

  /// As far as the digests agree; then, behind the last that does, not a byte more, but for `limit`.
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
        if head.count < IncomingFile.headSize {
          head += bytes.prefix(IncomingFile.headSize - head.count)
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

  /// The transfer failed or was cancelled: stays where another one can go on from it.
  func keep(_ file: IncomingFile, of url: String) {
    guard file.isWorthKeeping, (try? file.put()) != nil, file.mark() else {
      if file.isMade { try? remove(Self.name(of: url)) }
      return
    }
    know(url, file.size)
  }

  /// It is whole and could not get another name: stays where the last byte can be asked for again.
  func keep(_ landing: Landing, _ file: any OpenFile) {
    let url = landing.url.text
    let entity = landing.reply.entity
    let note = PartialNote(url: url, entity: entity)
    let mark = PartialNote.Mark(length: landing.size, digest: landing.digest)
    guard entity.strongValidator != nil, (try? file.status().links) == 1,
      (try? write(note.head.bytes + note.line(mark), ofWhole: url)) != nil
    else {
      try? remove(Self.name(of: url))
      return
    }
    know(url, landing.size)
  }

  private func write(_ notes: [UInt8], ofWhole url: String) throws(SystemError) {
    let file = try self.notes(of: url)
    try file.truncate(to: 0)
    try file.write(notes, at: 0)
  }

  private func know(_ url: String, _ size: UInt64) {
    let name = Self.name(of: url)
    state.withLock { $0[name] = Known(size: size, time: clock.wallTime()) }
    trim(sparing: name)
  }

  /// The same of a file that may never have come to the disk.
  func forget(_ file: IncomingFile, of url: String) {
    if file.isMade { forget(url) }
  }

  /// Nobody wants it any more.
  func forget(_ url: String) {
    let name = Self.name(of: url)
    state.withLock { $0[name] = nil }
    try? remove(name)
  }

  /// It is whole: its notes go before it gets other names, its own name when nobody asks for it.
  func removeNotes(of url: String) throws(SystemError) {
    try folder.removeIfThere(Self.name(of: url).note)
  }

  func link(_ url: String, to target: any Folder, as name: FileName) throws(SystemError) {
    try folder.link(Self.name(of: url), toEmpty: target, as: name)
  }

  func move(_ url: String, to target: any Folder, as name: FileName) throws(SystemError) {
    try folder.rename(Self.name(of: url), to: target, as: name, replacing: true)
  }

  /// The one name; there are no notes.
  func removeName(of url: String) { try? folder.removeIfThere(Self.name(of: url)) }

  /// No list is open: nobody names any of these URLs.
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

  private func trim(sparing spared: FileName?) {
    let now = clock.wallTime()
    let gone = state.withLock { state -> [FileName] in
      var gone: [FileName] = []
      var bytes = state.values.reduce(0) { $0 + $1.size }
      for (name, known) in state.sorted(by: { $0.value.time < $1.value.time })
      where name != spared {
        let isOld = now > known.time && .milliseconds(now - known.time) > limits.age
        guard isOld || state.count > limits.count || bytes > limits.bytes else { break }
        bytes -= known.size
        state[name] = nil
        gone.append(name)
      }
      return gone
    }
    for name in gone { try? remove(name) }
  }

  // MARK: start

  /// What an earlier run left: known again where it has notes, else removed.
  private func recover() {
    let names = Set((try? folder.names()) ?? [])
    var found: [FileName: Known] = [:]
    for name in names where name.hasSuffix(".part") {
      guard names.contains(name.note), let status = try? folder.status(of: name),
        status.kind == .file, status.links == 1
      else { continue }
      let time = UInt64(max(0, status.modified / 1_000_000))
      found[name] = Known(size: status.size, time: time)
    }
    let wanted = Set(found.keys).union(found.keys.map(\.note))
    for name in names where !wanted.contains(name) { try? folder.removeIfThere(name) }
    state.withLock { $0 = found }
    trim(sparing: nil)
  }
}

extension Folder {
  /// A new, empty file in the place of whatever had the name: that may have other names, too.
  func openAnew(_ name: FileName) throws(SystemError) -> any OpenFile {
    do throws(SystemError) { return try open(name, .create) } catch {
      guard error.exists else { throw error }
      try removeIfThere(name)
      return try open(name, .create)
    }
  }

  /// Another name for the file, in the place of whatever has it.
  func link(_ name: FileName, toEmpty target: any Folder, as newName: FileName)
    throws(SystemError)
  {
    do throws(SystemError) { try link(name, to: target, as: newName) } catch {
      guard error.exists else { throw error }
      try target.removeIfThere(newName)
      try link(name, to: target, as: newName)
    }
  }
}
