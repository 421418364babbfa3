// SPDX-License-Identifier: Apache-2.0
// A file that watches what is written into it, in order: how much, its digest, its first bytes. So
// nothing has to be read again when the last byte has come. While it grows it notes down what is there,
// so that another attempt, also after a crash, need not begin anew.
// Concurrency model: `seen` guards the account; the files below are written outside the lock, by one
// at a time.

import Digests
import Synchronization
import Vocabulary

final class IncomingFile: OpenFile {
  private struct Account {
    var size: UInt64 = 0
    var hash = SHA256()
    var head: [UInt8] = []
    /// Something was not written at the end of what was there: the digest means nothing.
    var isBroken = false
    /// Once it is known what comes, where that can be asked for again.
    var note: PartialNote?
    var noteSize: UInt64 = 0
    var marked: UInt64 = 0
  }

  static let headSize = 512

  let file: any OpenFile
  private let url: String
  private let notes: PartialNotes?
  private let isReopened: Bool
  private let seen: Mutex<Account>

  /// `file` must be empty.
  init(_ file: any OpenFile, of url: String = "", notes: PartialNotes? = nil) {
    self.file = file
    self.url = url
    self.notes = notes
    isReopened = false
    seen = Mutex(Account())
  }

  /// What is in `file` is known to be what these say, the beginning of `entity`.
  init(
    _ file: any OpenFile, of url: String, notes: PartialNotes, kept: KeptBytes,
    entity: EntityFacts
  ) {
    self.file = file
    self.url = url
    self.notes = notes
    isReopened = true
    seen = Mutex(
      Account(
        size: kept.size, hash: kept.hash, head: kept.head,
        note: PartialNote(url: url, entity: entity)))
  }

  var descriptor: Int32 { file.descriptor }
  var head: [UInt8] { seen.withLock { $0.head } }
  var mayHaveNotes: Bool { isReopened || notes?.isUsed == true }
  var size: UInt64 { seen.withLock { $0.size } }

  /// Size and digest of all that came; nil when it did not come in order.
  var contents: Contents? {
    seen.withLock { account in
      account.isBroken ? nil : Contents(size: account.size, hash: account.hash.digest().prefix)
    }
  }

  /// The whole digest; nil as above.
  var digest: SHA256Digest? {
    seen.withLock { account in account.isBroken ? nil : account.hash.digest() }
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
    try file.write(bytes, at: offset)
    let isDue = seen.withLock { account in
      guard offset == account.size else {
        account.isBroken = true
        return false
      }
      account.hash.add(bytes)
      account.size += UInt64(bytes.count)
      let room = Self.headSize - account.head.count
      if room > 0 { account.head += bytes.prefix(room) }
      let next = max(notes?.first ?? .max, account.marked + account.marked / 8)
      return account.note != nil && account.size >= next
    }
    if isDue { mark() }
  }

  /// Notes down what is there; true where another attempt can go on from it.
  @discardableResult
  func mark() -> Bool {
    let piece = seen.withLock { account -> (bytes: [UInt8], offset: UInt64)? in
      guard let note = account.note, !account.isBroken, account.size > account.marked else {
        return nil
      }
      let mark = PartialNote.Mark(length: account.size, digest: account.hash.digest())
      let bytes = (account.noteSize == 0 ? note.head.bytes : []) + note.line(mark)
      defer { account.noteSize += UInt64(bytes.count) }
      account.marked = account.size
      return (bytes, account.noteSize)
    }
    if let piece, notes?.write(piece.bytes, at: piece.offset) != true {
      // Without notes it is begun anew, that is all.
      seen.withLock { $0.note = nil }
    }
    return seen.withLock { $0.note != nil && $0.marked > 0 }
  }

  func truncate(to size: UInt64) throws(SystemError) {
    try file.truncate(to: size)
    seen.withLock { account in
      if size == 0 { account = Account() } else { account.isBroken = account.size != size }
    }
  }

  func status() throws(SystemError) -> FileStatus { try file.status() }
  func read(at offset: UInt64, upTo count: Int) throws(SystemError) -> [UInt8] {
    try file.read(at: offset, upTo: count)
  }
  func reserve(_ size: UInt64) throws(SystemError) { try file.reserve(size) }
  func sync() throws(SystemError) { try file.sync() }
}

/// The beginning of a file, proven.
struct KeptBytes {
  let size: UInt64
  let hash: SHA256
  let head: [UInt8]
}

/// The file with the notes of one partial file; made when there is something to note.
final class PartialNotes: Sendable {
  private let folder: any Folder
  private let name: FileName
  private let open = Mutex<(any OpenFile)?>(nil)
  /// The length from which on there is something worth noting.
  let first: UInt64

  init(_ folder: any Folder, _ name: FileName, first: UInt64) {
    self.folder = folder
    self.name = name
    self.first = first
  }

  /// What is written at the beginning replaces what was there.
  func write(_ bytes: [UInt8], at offset: UInt64) -> Bool {
    do throws(SystemError) {
      let file: any OpenFile
      if let known = open.withLock({ $0 }) {
        file = known
      } else {
        file = try folder.open(name, .ensure)
        open.withLock { $0 = file }
      }
      if offset == 0 { try file.truncate(to: 0) }
      try file.write(bytes, at: offset)
      return true
    } catch { return false }
  }

  /// Whether there may be any.
  var isUsed: Bool { open.withLock { $0 != nil } }
}
