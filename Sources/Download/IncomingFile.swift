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
    /// Nil as long as all is in memory.
    var file: (any OpenFile)?
    /// There may be one on the disk, though it could not be opened or written.
    var isMade = false
    var memory: [UInt8] = []
  }

  static let headSize = 512
  /// So much stays in memory, for each transfer under way.
  static let memorySize = 32768

  private let open: @Sendable () throws(SystemError) -> any OpenFile
  private let url: String
  private let notes: PartialNotes?
  private let isReopened: Bool
  private let seen: Mutex<Account>

  /// `file` must be empty.
  init(_ file: any OpenFile) {
    open = { file }
    url = ""
    notes = nil
    isReopened = false
    seen = Mutex(Account(file: file))
  }

  /// `open` makes an empty file, if there must be one.
  init(
    of url: String, notes: PartialNotes,
    open: @escaping @Sendable () throws(SystemError) -> any OpenFile
  ) {
    self.open = open
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
    open = { file }
    self.url = url
    self.notes = notes
    isReopened = true
    seen = Mutex(
      Account(
        size: kept.size, hash: kept.hash, head: kept.head,
        note: PartialNote(url: url, entity: entity), file: file, isMade: true))
  }

  var descriptor: Int32 { seen.withLock { $0.file }?.descriptor ?? -1 }
  var head: [UInt8] { seen.withLock { $0.head } }
  var mayHaveNotes: Bool { isReopened || notes?.isUsed == true }
  var size: UInt64 { seen.withLock { $0.size } }
  /// Its name or its notes may be on the disk.
  var isMade: Bool { mayHaveNotes || seen.withLock { $0.isMade } }
  /// Another attempt could go on from what has come.
  var isWorthKeeping: Bool {
    seen.withLock { $0.size > 0 && $0.note != nil && !$0.isBroken }
  }

  /// Where all that came is.
  var place: Landing.Place {
    seen.withLock { account in
      if let file = account.file { .shelf(file) } else { .memory(account.memory) }
    }
  }

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
    let isKept = seen.withLock { account in
      guard account.file == nil, offset == account.size,
        account.memory.count + bytes.count <= Self.memorySize
      else { return false }
      // Most that stay here come in one piece, which need not be copied.
      if account.memory.isEmpty { account.memory = bytes } else { account.memory += bytes }
      return true
    }
    if !isKept { try put().write(bytes, at: offset) }
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
    if isDue {
      try put()
      mark()
    }
  }

  /// The file on the disk, with all that came.
  @discardableResult
  func put() throws(SystemError) -> any OpenFile {
    if let file = seen.withLock({ $0.file }) { return file }
    seen.withLock { $0.isMade = true }
    let file = try open()
    let memory = seen.withLock { $0.memory }
    if !memory.isEmpty { try file.write(memory, at: 0) }
    seen.withLock { account in
      account.file = file
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
    if let piece, notes?.write(piece.bytes, at: piece.offset) != true {
      // Without notes it is begun anew, that is all.
      seen.withLock { $0.note = nil }
    }
    return seen.withLock { $0.note != nil && $0.marked > 0 }
  }

  func truncate(to size: UInt64) throws(SystemError) {
    if size > 0 { try put() }
    try seen.withLock { $0.file }?.truncate(to: size)
    seen.withLock { account in
      if size == 0 {
        account = Account(file: account.file, isMade: account.isMade)
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

/// The file with the notes of one partial file; made when there is something to note.
final class PartialNotes: Sendable {
  private let folder: any Folder
  private let name: @Sendable () -> FileName
  private let open = Mutex<(any OpenFile)?>(nil)
  /// The length from which on there is something worth noting.
  let first: UInt64

  init(_ folder: any Folder, first: UInt64, name: @escaping @Sendable () -> FileName) {
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
        file = try folder.open(name(), .ensure)
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
