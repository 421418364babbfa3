// SPDX-License-Identifier: Apache-2.0
// A partial file as its only writer knows it: size, digest and first bytes, so that nothing is read again
// when the last byte has arrived. While the file grows, its notes record how much of it is correct, so that
// another attempt can resume, even after a crash. A value around open files; each mutating call may wait for
// the disk. Raises `SystemError`; a failed note only costs the resume.

import Digests
import Vocabulary

struct PartialFile: Sendable {
  static let headSize = 512

  let url: String
  let shelf: PartialShelf
  /// The user whose transfer began it.
  let owner: UInt32
  /// Nil until the first write.
  private(set) var file: (any OpenFile)?
  private(set) var size: UInt64 = 0
  private(set) var head: [UInt8] = []
  private var hash = SHA256()
  /// Bytes of a failed write.
  private var unwritten: [UInt8] = []
  /// Nil when the origin cannot be asked for the rest.
  private var note: PartialNote?
  private var noteFile: (any OpenFile)?
  private var noteSize: UInt64 = 0
  /// The length in the last note.
  private var marked: UInt64 = 0
  /// True when its name or its notes may be on disk.
  private(set) var isMade = false
  private let isReopened: Bool

  /// A new file; its first byte creates it on disk.
  init(of url: String, on shelf: PartialShelf, owner: UInt32) {
    (self.url, self.shelf, self.owner, isReopened) = (url, shelf, owner, false)
  }

  /// A reopened file: `kept` describes its verified bytes, the beginning of `entity`.
  init(
    _ file: any OpenFile, of url: String, on shelf: PartialShelf, owner: UInt32, kept: KeptBytes,
    entity: EntityFacts
  ) {
    (self.url, self.shelf, self.owner, isReopened) = (url, shelf, owner, true)
    (self.file, isMade) = (file, true)
    (size, hash, head) = (kept.size, kept.hash, kept.head)
    note = PartialNote(url: url, entity: entity, owner: owner)
  }

  var digest: SHA256Digest { hash.digest() }
  var mayHaveNotes: Bool { isReopened || noteFile != nil }

  /// The next bytes are the bytes of `entity` from `offset` on. At 0 they replace the file's contents.
  mutating func begin(_ entity: EntityFacts, at offset: UInt64) throws(SystemError) {
    if offset == 0 {
      (size, hash, head, unwritten) = (0, SHA256(), [], [])
      note = nil
      try file?.truncate(to: 0)
    }
    // Notes are kept only for bytes that continue the file and have a strong validator.
    let isKept = offset == size && entity.strongValidator != nil
    note = isKept ? PartialNote(url: url, entity: entity, owner: owner) : nil
    (noteSize, marked) = (0, 0)
  }

  mutating func write(_ bytes: [UInt8]) throws(SystemError) {
    // A note is written before any byte beyond it: a reader of the file's size can rely on the note.
    let next = max(shelf.firstMark, marked + marked / 8)
    let end = size + UInt64(bytes.count)
    guard note != nil, next <= end else { return try put(bytes) }
    let head = size < next ? Int(next - size) : 0
    if head > 0 { try put(Array(bytes.prefix(head))) }
    mark()
    if head < bytes.count { try put(Array(bytes.dropFirst(head))) }
  }

  private mutating func put(_ bytes: [UInt8]) throws(SystemError) {
    unwritten = unwritten.isEmpty ? bytes : unwritten + bytes
    try flush()
  }

  private mutating func flush() throws(SystemError) {
    if unwritten.isEmpty { return }
    try made().write(unwritten, at: size)
    if head.count < Self.headSize { head += unwritten.prefix(Self.headSize - head.count) }
    hash.add(unwritten)
    size += UInt64(unwritten.count)
    unwritten = []
  }

  private mutating func made() throws(SystemError) -> any OpenFile {
    if let file { return file }
    isMade = true
    let new = try shelf.make(url)
    file = new
    return new
  }

  /// Prepares the file for another attempt. True when it has bytes and notes that prove them.
  mutating func settle() -> Bool {
    guard note != nil else { return false }
    // Retries a failed write; the bytes on disk count either way.
    try? flush()
    return size > 0 && mark()
  }

  /// Adds a note of the current length. True when another attempt can resume from a note.
  @discardableResult
  private mutating func mark() -> Bool {
    guard let note, file != nil else { return false }
    if size > marked {
      let line = note.line(PartialNote.Mark(length: size, digest: digest))
      do throws(SystemError) { try add(noteSize == 0 ? note.head.bytes + line : line) } catch {
        // Without notes the next attempt starts over; nothing else is lost.
        self.note = nil
        return false
      }
      marked = size
    }
    return marked > 0
  }

  /// The first lines replace earlier notes.
  private mutating func add(_ lines: [UInt8]) throws(SystemError) {
    let notes = if let noteFile { noteFile } else { try shelf.notes(of: url) }
    (noteFile, isMade) = (notes, true)
    if noteSize == 0 { try notes.truncate(to: 0) }
    try notes.write(lines, at: noteSize)
    noteSize += UInt64(lines.count)
  }
}

/// The verified beginning of a file.
struct KeptBytes {
  let size: UInt64
  let hash: SHA256
  let head: [UInt8]
}
