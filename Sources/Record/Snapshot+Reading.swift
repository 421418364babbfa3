// SPDX-License-Identifier: Apache-2.0
// Reads a snapshot as a ledger, entirely or not at all.

internal import Digests
internal import Vocabulary

extension Snapshot {
  package enum Reading: Equatable, Sendable {
    case snapshot(Snapshot)
    /// Whole, but with a version or critical line that this version does not know.
    case newer(String)
    case damaged
  }

  package static func read(_ bytes: [UInt8]) -> Reading {
    let tail = bytes.count - 14
    guard tail > 0, bytes.last == 0x0A else { return .damaged }
    var end = LineCursor(bytes, tail..<(bytes.count - 1))
    guard end.take(" crc="), let checksum = end.hex((tail + 5)..<(tail + 13), digits: 8),
      CRC32C.checksum(bytes[..<tail]) == UInt32(checksum)
    else { return .damaged }
    var reader = SnapshotReader(bytes)
    return reader.read(upTo: tail)
  }
}

/// Collects the lines of one snapshot whose checksum was verified.
private struct SnapshotReader {
  private enum Step { case next, end, newer(String), damaged }

  private let bytes: [UInt8]
  private var entries: [ListEntry] = []
  /// How many photos of the last list have been given their state.
  private var filled = 0
  /// Counts those photos by state.
  private var found = PhotoCounts(new: 0)

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func read(upTo limit: Int) -> Snapshot.Reading {
    var start = 0
    var head: LineCursor?
    while start < limit {
      let end = bytes[start..<limit].firstIndex(of: 0x0A) ?? limit
      var cursor = LineCursor(bytes, start..<end)
      start = end + 1
      if head == nil {
        guard cursor.take("#darkroom-snapshot "), let version = cursor.number() else {
          return .damaged
        }
        if version != Snapshot.version { return .newer("version \(version)") }
        head = cursor
        continue
      }
      switch line(&cursor) {
      case .next: continue
      case .newer(let word): return .newer("a line '\(Printable.text(word, limit: 40))'")
      case .damaged: return .damaged
      case .end:
        guard let head, start > limit else { return .damaged }
        return whole(head)
      }
    }
    return .damaged
  }

  private func whole(_ head: LineCursor) -> Snapshot.Reading {
    guard isComplete, let segment = head.number(field: "segment"),
      let stateID = head.text(field: "state"), let after = head.number(field: "after"),
      let next = head.number(field: "next"), let refused = head.number(field: "refused")
    else { return .damaged }
    let ledger = Ledger(nextList: ListID(next), refused: refused, entries: entries)
    return .snapshot(Snapshot(segment: segment, stateID: stateID, after: after, ledger: ledger))
  }

  /// True when the counts of the last list agree with its photos; later transitions rely on it.
  private var isComplete: Bool {
    guard let last = entries.last else { return true }
    if last.state.isFinal { return last.counts.total == UInt64(last.acceptance.photos) }
    return filled == last.states.count && found == last.counts
  }

  private mutating func line(_ cursor: inout LineCursor) -> Step {
    let word = cursor.text(cursor.word())
    let isRead: Bool
    switch word {
    case "end": return .end
    case "list": isRead = list(&cursor)
    case "states": isRead = states(&cursor)
    case "original", "retry", "died": isRead = photo(word, &cursor)
    default:
      guard let first = word.utf8.first else { return .damaged }
      return (0x41...0x5A).contains(first) ? .newer(word) : .next
    }
    return isRead ? .next : .damaged
  }

  private mutating func list(_ cursor: inout LineCursor) -> Bool {
    guard isComplete, cursor.take(0x20), let number = cursor.number(), cursor.take(0x20),
      number > entries.last?.id.number ?? 0
    else { return false }
    let word = cursor.text(cursor.word())
    guard let standing = standing(word, was: cursor.text(field: "was")),
      let photos = cursor.small(field: "photos"), photos <= Ledger.maximumPhotos,
      let serviceClass = cursor.text(field: "quality").flatMap({ ServiceClass(name: $0) }),
      let sha256 = cursor.text(field: "sha256"), let accepted = cursor.number(field: "accepted"),
      let ended = cursor.number(field: "ended"), let new = cursor.small(field: "new"),
      let downloaded = cursor.small(field: "downloaded"),
      let filtered = cursor.small(field: "filtered"), let failed = cursor.small(field: "failed")
    else { return false }
    let acceptance = Acceptance(
      photos: photos, serviceClass: serviceClass, sha256: sha256,
      owner: cursor.small(field: "owner"))
    var entry = ListEntry(id: ListID(number), acceptance, time: accepted)
    entry.halter = cursor.small(field: "by")
    entry.standing = standing
    entry.endedTime = ended
    entry.counts = PhotoCounts(
      new: new, downloaded: downloaded, filtered: filtered, failed: failed)
    if entry.state.isFinal { entry.states = [] }
    filled = 0
    found = PhotoCounts(new: 0)
    entries.append(entry)
    return true
  }

  private func standing(_ word: String, was: String?) -> ListEntry.Standing? {
    switch (word, was) {
    case ("accepted", nil): .accepted
    case ("running", nil): .running
    case ("paused", "accepted"): .paused(wasRunning: false)
    case ("paused", "running"): .paused(wasRunning: true)
    case ("finished", nil): .finished
    case ("cancelled", nil): .cancelled
    default: nil
    }
  }

  private mutating func states(_ cursor: inout LineCursor) -> Bool {
    guard isNext(&cursor), let last = entries.indices.last else { return false }
    let total = entries[last].states.count
    while !cursor.isAtEnd {
      guard let state = StateLetter.state(cursor.bytes[cursor.at]),
        cursor.take(cursor.bytes[cursor.at])
      else { return false }
      var run = 1
      if !cursor.isAtEnd, cursor.bytes[cursor.at] &- 0x30 < 10 {
        guard let number = cursor.number(), number <= UInt64(total) else { return false }
        run = Int(number)
      }
      guard run > 0, run <= total - filled else { return false }
      if state != 0 { for place in filled..<(filled + run) { entries[last].states[place] = state } }
      filled += run
      if let state = PhotoState(rawValue: state) { found.add(UInt32(run), to: state) }
    }
    return true
  }

  /// True when the line belongs to the last list.
  private func isNext(_ cursor: inout LineCursor) -> Bool {
    guard cursor.take(0x20), let number = cursor.number(), cursor.take(0x20) else { return false }
    return entries.last?.id.number == number
  }

  private mutating func photo(_ word: String, _ cursor: inout LineCursor) -> Bool {
    guard isNext(&cursor), let last = entries.indices.last,
      let photo = cursor.number().flatMap(UInt32.init(exactly:)),
      entries[last].state(of: photo) != .unknown
    else { return false }
    switch word {
    case "original":
      guard let size = cursor.number(field: "size"), let hash = cursor.hex(field: "hash") else {
        return false
      }
      entries[last].originals[photo] = Contents(size: size, hash: hash)
    case "retry":
      guard let stage = cursor.text(field: "stage").flatMap(Stage.init(rawValue:)),
        let attempt = cursor.small(field: "attempt"), let after = cursor.number(field: "after"),
        let until = cursor.number(field: "until")
      else { return false }
      entries[last].retries[photo] = RetryPlan(
        stage: stage, attempt: attempt, after: after, until: until)
    default:
      guard let count = cursor.small(field: "count") else { return false }
      entries[last].deaths[photo] = count
    }
    return true
  }
}
