// SPDX-License-Identifier: Apache-2.0
// Reads one line of the journal file as a transition: first the checksum, then every word strictly. A lenient
// reader would accept one in thirty flipped bits.

internal import Digests
internal import Vocabulary

/// One line of a segment, as read.
package enum JournalLine: Equatable, Sendable {
  case record(JournalRecord)
  /// Whole, but of a kind that this version does not know. A critical one changes state.
  case unknown(sequence: UInt64, kind: String, isCritical: Bool)
  case damaged

  /// The use that a start makes of a line.
  package enum Fate: String, Sendable {
    case counted
    /// Of a kind that this version may skip.
    case ignored
    /// A later segment replaces it, or it came twice.
    case superseded
    case damaged
  }
}

extension JournalRecord {
  /// Reads the line in `range`, without its line end.
  package static func read(_ bytes: [UInt8], _ range: Range<Int>, seed: UInt32) -> JournalLine {
    guard range.count > 9, range.count < maximumBytes else { return .damaged }
    let start = range.lowerBound
    var cursor = LineCursor(bytes, (start + 8)..<range.upperBound)
    guard let checksum = cursor.hex(start..<(start + 8), digits: 8), cursor.take(0x20),
      CRC32C.checksum(bytes[(start + 9)..<range.upperBound], seed: seed) == UInt32(checksum),
      let sequence = cursor.number(), cursor.take(0x20),
      let time = cursor.milliseconds(), cursor.take(0x20)
    else { return .damaged }
    let word = cursor.word()
    guard let kind = RecordKind.named(bytes[word]) else {
      return unknown(cursor.text(word), sequence, bytes[word].first)
    }
    guard let change = change(kind, &cursor) else { return .damaged }
    let user = cursor.small(field: "by")
    return .record(JournalRecord(sequence: sequence, Transition(time: time, change, by: user)))
  }

  private static func unknown(_ word: String, _ sequence: UInt64, _ first: UInt8?) -> JournalLine {
    switch first {
    case .some(0x61...0x7A):
      .unknown(sequence: sequence, kind: word, isCritical: RecordKind.reserved.contains(word))
    case .some(0x41...0x5A): .unknown(sequence: sequence, kind: word, isCritical: true)
    default: .damaged
    }
  }

  private static func change(_ kind: RecordKind, _ cursor: inout LineCursor) -> Change? {
    guard cursor.take(0x20), let number = cursor.number(), number > 0 else { return nil }
    let list = ListID(number)
    switch kind {
    case .accepted: return accepted(list, cursor)
    case .rejected: return cursor.text(field: "code").map { .rejected(list, code: $0) }
    case .paused: return .paused(list)
    case .resumed: return .resumed(list)
    case .cancelled: return .cancelled(list)
    case .finished: return .finished(list)
    case .removed: return .removed(list)
    case .quality:
      return cursor.text(field: "class").flatMap { ServiceClass(name: $0) }
        .map { .quality(list, $0) }
    case .downloaded, .filtered, .failed, .retry, .lost, .died:
      guard cursor.take(0x20), let photo = cursor.number().flatMap(UInt32.init(exactly:))
      else { return nil }
      return change(kind, PhotoID(list: list, number: photo), cursor)
    }
  }

  private static func accepted(_ list: ListID, _ cursor: LineCursor) -> Change? {
    guard let photos = cursor.small(field: "photos"), let sha256 = cursor.text(field: "sha256"),
      let serviceClass = cursor.text(field: "quality").flatMap({ ServiceClass(name: $0) })
    else { return nil }
    let owner = cursor.small(field: "owner")
    return .accepted(
      list, Acceptance(photos: photos, serviceClass: serviceClass, sha256: sha256, owner: owner))
  }

  private static func change(
    _ kind: RecordKind, _ photo: PhotoID, _ cursor: LineCursor
  ) -> Change? {
    switch kind {
    case .lost: return .lost(photo)
    case .died: return .died(photo)
    case .downloaded, .filtered:
      guard let size = cursor.number(field: "size"), let hash = cursor.hex(field: "hash")
      else { return nil }
      let contents = Contents(size: size, hash: hash)
      return kind == .downloaded ? .downloaded(photo, contents) : .filtered(photo, contents)
    default:
      guard let stage = cursor.text(field: "stage").flatMap(Stage.init(rawValue:)),
        let code = cursor.text(field: "code"), let attempt = cursor.small(field: "attempt")
      else { return nil }
      if kind == .failed { return .failed(photo, stage, code: code, attempt: attempt) }
      guard let after = cursor.number(field: "after"), let until = cursor.number(field: "until")
      else { return nil }
      return .retry(photo, stage, code: code, attempt: attempt, after: after, until: until)
    }
  }
}
