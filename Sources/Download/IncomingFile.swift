// SPDX-License-Identifier: Apache-2.0
// A file that watches what is written into it, in order: how much, its digest, its first bytes. So
// nothing has to be read again when the last byte has come. While it grows it notes down what is there,
// so that another attempt, also after a crash, need not begin anew. The first bytes stay in memory: most
// of the time of a small file would be spent on making and renaming it.
// Concurrency model: `seen` guards the account; the files below are written outside the lock, by one
// at a time.

import Digests
import Synchronization
import Vocabulary

final class IncomingFile: OpenFile {
  /// All that came.
  struct Arrival {
    let place: Landing.Place
    let size: UInt64
    let digest: SHA256Digest
    let head: ArraySlice<UInt8>

    var contents: Contents { Contents(size: size, hash: digest.prefix) }
  }

  private struct Account {
    var size: UInt64 = 0
    var hash = SHA256()
    /// The first bytes, once there is a file: until then they are in memory.
    var head: [UInt8] = []
    /// Something was not written at the end of what was there: the digest means nothing.
    var isBroken = false
    /// Once it is known what comes, where that can be asked for again.
    var note: PartialNote?
    var noteFile: (any OpenFile)?
    var noteSize: UInt64 = 0
    var marked: UInt64 = 0
    /// Nil as long as all is in memory.
    var file: (any OpenFile)?
    /// There may be one on the disk, though it could not be opened or written.
    var isMade = false
    var memory: [UInt8] = []

    /// Keeps in memory what may stay there; whether another mark is due, nil for what must be written.
    mutating func keep(_ bytes: [UInt8], at offset: UInt64, _ first: UInt64) -> Bool? {
      guard file == nil, offset == size, memory.count + bytes.count <= memorySize else {
        return nil
      }
      // Most that stay here come in one piece, which need not be copied.
      if memory.isEmpty { memory = bytes } else { memory += bytes }
      return add(bytes, first)
    }

    /// What has been written; whether another mark is due.
    mutating func count(_ bytes: [UInt8], at offset: UInt64, _ first: UInt64) -> Bool {
      guard offset == size else {
        isBroken = true
        return false
      }
      let room = headSize - head.count
      if room > 0 { head += bytes.prefix(room) }
      return add(bytes, first)
    }

    private mutating func add(_ bytes: [UInt8], _ first: UInt64) -> Bool {
      hash.add(bytes)
      size += UInt64(bytes.count)
      return note != nil && size >= max(first, marked + marked / 8)
    }
  }

  static let headSize = 512
  /// So much stays in memory, for each transfer under way.
  static let memorySize = 32768

  private let url: String
  /// Where it is made when there must be a file, with its notes; nil where there is one without notes.
  private let shelf: PartialShelf?
  private let isReopened: Bool
  private let seen: Mutex<Account>

  /// `file` must be empty.
  init(_ file: any OpenFile) {
    (url, shelf, isReopened) = ("", nil, false)
    seen = Mutex(Account(file: file))
  }

  init(of url: String, on shelf: PartialShelf) {
    (self.url, self.shelf, isReopened) = (url, shelf, false)
    seen = Mutex(Account())
  }

  /// What is in `file` is known to be what these say, the beginning of `entity`.
  init(
    _ file: any OpenFile, of url: String, on shelf: PartialShelf, kept: KeptBytes,
    entity: EntityFacts
  ) {
    (self.url, self.shelf, isReopened) = (url, shelf, true)
    seen = Mutex(
      Account(
        size: kept.size, hash: kept.hash, head: kept.head,
        note: PartialNote(url: url, entity: entity), file: file, isMade: true))
  }

  var descriptor: Int32 { seen.withLock { $0.file }?.descriptor ?? -1 }
  var mayHaveNotes: Bool { isReopened || seen.withLock { $0.noteFile != nil } }
  var size: UInt64 { seen.withLock { $0.size } }
  /// Its name or its notes may be on the disk.
  var isMade: Bool { isReopened || seen.withLock { $0.isMade || $0.noteFile != nil } }
  /// Another attempt could go on from what has come.
  var isWorthKeeping: Bool {
    seen.withLock { $0.size > 0 && $0.note != nil && !$0.isBroken }
  }

  /// Nil when it did not come in order.
  var arrival: Arrival? {
    seen.withLock { account in
      if account.isBroken { return nil }
      let (place, head): (Landing.Place, ArraySlice<UInt8>) =
        if let file = account.file {
          (.shelf(file), account.head[...])
        } else {
          (.memory(account.memory), account.memory.prefix(Self.headSize))
        }
      return Arrival(place: place, size: account.size, digest: account.hash.digest(), head: head)
    }
  }

  /// What comes from here on is this, from this place on.
  func begin(_ entity: EntityFacts, at offset: UInt64) {
    seen.withLock { account in
      let isKept = offset == account.size && entity.strongValidator != nil
      account.note = isKept ? PartialNote(url: url, entity: entity) : nil
      (account.noteSize, account.marked) = (0, 0)
    }
    if offset > 0 { mark() }
  }

  func write(_ bytes: [UInt8], at offset: UInt64) throws(SystemError) {
    let first = shelf?.firstMark ?? .max
    if let isDue = seen.withLock({ $0.keep(bytes, at: offset, first) }) {
      if !isDue { return }
      try put()
    } else {
      try put().write(bytes, at: offset)
      guard seen.withLock({ $0.count(bytes, at: offset, first) }) else { return }
    }
    mark()
  }

  /// The file on the disk, with all that came.
  @discardableResult
  func put() throws(SystemError) -> any OpenFile {
    if let file = seen.withLock({ $0.file }) { return file }
    guard let shelf else { preconditionFailure("there is a file or a shelf for it") }
    seen.withLock { $0.isMade = true }
    let file = try shelf.make(url)
    let memory = seen.withLock { $0.memory }
    if !memory.isEmpty { try file.write(memory, at: 0) }
    seen.withLock { account in
      account.file = file
      account.head = Array(memory.prefix(Self.headSize))
      account.memory = []
    }
    return file
  }

  /// Notes down what is there; true where another attempt can go on from it.
  @discardableResult
  func mark() -> Bool {
    let piece = seen.withLock { account -> (bytes: [UInt8], offset: UInt64)? in
      guard let note = account.note, account.file != nil, !account.isBroken,
        account.size > account.marked
      else { return nil }
      let mark = PartialNote.Mark(length: account.size, digest: account.hash.digest())
      let bytes = (account.noteSize == 0 ? note.head.bytes : []) + note.line(mark)
      defer { account.noteSize += UInt64(bytes.count) }
      account.marked = account.size
      return (bytes, account.noteSize)
    }
    if let piece {
      // Without notes it is begun anew, that is all.
      do throws(SystemError) { try note(piece.bytes, at: piece.offset) } catch {
        seen.withLock { $0.note = nil }
      }
    }
    return seen.withLock { $0.note != nil && $0.marked > 0 }
  }

  /// What is written at the beginning replaces what was there.
  private func note(_ bytes: [UInt8], at offset: UInt64) throws(SystemError) {
    guard let shelf else { preconditionFailure("a note is of what is on the shelf") }
    let file: any OpenFile
    if let known = seen.withLock({ $0.noteFile }) {
      file = known
    } else {
      file = try shelf.notes(of: url)
      seen.withLock { $0.noteFile = file }
    }
    if offset == 0 { try file.truncate(to: 0) }
    try file.write(bytes, at: offset)
  }

  func truncate(to size: UInt64) throws(SystemError) {
    if size > 0 { try put() }
    try seen.withLock { $0.file }?.truncate(to: size)
    seen.withLock { account in
      if size == 0 {
        account = Account(
          noteFile: account.noteFile, file: account.file, isMade: account.isMade)
      } else {
        account.isBroken = account.size != size
      }
    }
  }

  func status() throws(SystemError) -> FileStatus { try put().status() }
  func read(at offset: UInt64, upTo count: Int) throws(SystemError) -> [UInt8] {
    try put().read(at: offset, upTo: count)
  }
  func reserve(_ size: UInt64) throws(SystemError) { try put().reserve(size) }
  func sync() throws(SystemError) { try put().sync() }
}

/// The beginning of a file, proven.
struct KeptBytes {
  let size: UInt64
  let hash: SHA256
  let head: [UInt8]
}
