// SPDX-License-Identifier: Apache-2.0
// Rebuilds the state from STATE/journal: the newest snapshot that verifies, then the segments in order.
// `run` removes `.new` files, copies bad bytes aside, and cuts the last segment's torn tail; every record stays. A
// look changes nothing. It opens all files before it returns the first line, so that no file can disappear meanwhile.
// Raises `journal.newer` for a version, kind or snapshot line that it does not know, `journal.gone` for lists
// without a journal file, and the failures of the disk.

internal import Digests
package import Vocabulary

package struct JournalRecovery {
  /// A larger file is not a snapshot of ours, which needs one byte a photo and a little for each list.
  private static let maximumSnapshotBytes: UInt64 = 1 << 30

  /// Takes each line of a segment, and what became of it.
  typealias Visit = (
    _ file: FileName, _ offset: UInt64, _ line: ArraySlice<UInt8>, _ fate: JournalLine.Fate
  ) -> Void

  private let journal: JournalFolder
  /// Nil for a start.
  private let visit: Visit?
  private(set) var recovery: Recovery
  private var listing = JournalFolder.Listing()
  /// The segments in order, opened before the first line is read.
  private var files: [(number: UInt64, file: any OpenFile)] = []
  private var headers: [UInt64: SegmentHeader] = [:]
  /// How far the last segment is durable; nil if it is not known.
  private var durable: SegmentEnd?
  /// Later records do not count.
  private var limit = UInt64.max
  private var hasBase = false

  private init(_ journal: JournalFolder, stateID: String, _ visit: Visit?) {
    self.journal = journal
    self.visit = visit
    recovery = Recovery(stateID: stateID)
  }

  /// `hasLists` says whether the state folder holds lists. Without lists, nothing can have been lost.
  package static func run(
    _ journal: JournalFolder, _ settings: JournalSettings, hasLists: Bool
  ) throws(Failure) -> Recovery {
    var run = JournalRecovery(journal, stateID: settings.stateID, nil)
    do throws(SystemError) {
      run.listing = try journal.listing()
      for name in run.listing.unfinished { try journal.folder.removeIfThere(name) }
    } catch { throw error.machineFailure }
    try run.prepare()
    guard try run.isReadable(hasLists: hasLists) else { return run.recovery }
    try run.replay()
    return run.recovery
  }

  /// Prepares to read what a start would read if only these files were there. `recovery` has the base;
  /// `replay` passes on the lines and adds the rest.
  init(
    look journal: JournalFolder, _ listing: JournalFolder.Listing, _ visit: @escaping Visit
  ) throws(Failure) {
    self.init(journal, stateID: "", visit)
    self.listing = listing
    try prepare()
    if !hasBase { dispense() }
  }

  private mutating func prepare() throws(Failure) {
    recovery.lastNumber = listing.highest
    try findBase()
    try readHeaders()
  }

  /// Records beyond `limit` do not count.
  mutating func replay(upTo limit: UInt64 = .max) throws(Failure) {
    self.limit = limit
    // Before the segment: it may grow while it is read.
    let last = max(listing.logs.last ?? 0, listing.ends.last ?? 0)
    durable = end(of: last)
    recovery.isEndKnown = durable != nil
    for (number, file) in files { try replay(number, file) }
    guard let durable else { return }
    if last > listing.logs.last ?? 0 { note(0..<durable.bytes, JournalFolder.log(last)) }
    if durable.sequence > recovery.sequence {
      recovery.missing += durable.sequence - recovery.sequence
      recovery.sequence = durable.sequence
    }
  }

  // MARK: Base and headers

  private mutating func findBase() throws(Failure) {
    for number in listing.snapshots.reversed() {
      let name = JournalFolder.snapshot(number)
      let (bytes, size) = try contents(name)
      switch Snapshot.read(bytes) {
      case .snapshot(let snapshot) where snapshot.segment == number:
        recovery.ledger = snapshot.ledger
        recovery.stateID = snapshot.stateID
        (recovery.after, recovery.sequence) = (snapshot.after, snapshot.after)
        recovery.generation = number
        hasBase = true
        listing.logs.removeAll { $0 < number }
        // Between the names of a snapshot and of its segment, the last length belongs to the segment before.
        listing.ends.removeAll { $0 < number }
        return
      case .newer(let word): throw newer(name, word)
      case .snapshot, .damaged:
        recovery.note(JournalDamage(file: name.description, offset: 0, bytes: size))
      }
    }
  }

  private mutating func readHeaders() throws(Failure) {
    for number in listing.logs {
      let name = JournalFolder.log(number)
      let file = try open(name)
      files.append((number, file))
      switch try SegmentReader(file).header() {
      case .header(let header) where header.segment == number: headers[number] = header
      case .newer(let version): throw newer(name, "version \(version)")
      case .header, .damaged: break
      }
    }
    recovery.previousBoot = listing.logs.last.flatMap { headers[$0]?.bootID }
  }

  /// The header that gives the state's id without a snapshot.
  private var firstHeader: SegmentHeader? { listing.logs.compactMap { headers[$0] }.first }

  /// False when there is nothing to read.
  private mutating func isReadable(hasLists: Bool) throws(Failure) -> Bool {
    if hasBase { return true }
    if listing.logs.first == 1, let known = firstHeader {
      recovery.stateID = known.stateID
      return true
    }
    if hasLists {
      throw Failure(
        .final, code: "journal.gone",
        reason:
          "the state folder holds lists, but neither a snapshot nor the first journal segment",
        advice: "Restore STATE/journal from a backup, or move STATE/lists away to start empty")
    }
    recovery.isNew = listing.logs.isEmpty && listing.snapshots.isEmpty
    return false
  }

  /// Checks the segments without a base, for a look: all before them is lost, unless they are the first ones.
  private mutating func dispense() {
    guard let known = firstHeader else { return recovery.isLost = true }
    recovery.stateID = known.stateID
    if listing.logs.first == 1 { return }
    recovery.isLost = true
    (recovery.after, recovery.sequence) = (known.after, known.after)
  }

  // MARK: Replaying

  private mutating func replay(_ number: UInt64, _ file: any OpenFile) throws(Failure) {
    let name = JournalFolder.log(number)
    if let header = headers[number], header.after > recovery.sequence {
      recovery.missing += header.after - recovery.sequence
      recovery.sequence = header.after
    }
    // Records beyond a later segment's `after` were never acknowledged in this segment.
    let limit = listing.logs.filter { $0 > number }.compactMap { headers[$0]?.after }.min()
    let seed = SegmentHeader.seed(stateID: recovery.stateID, segment: number)
    // The header was durable before the file got its name.
    var isHeaded = headers[number] != nil
    var scan = SegmentScan()
    try SegmentReader(file).forEachLine { (bytes, range, offset, isEnded) throws(Failure) in
      let line: JournalLine =
        isEnded ? JournalRecord.read(bytes, range, seed: seed) : .damaged
      if offset == 0, isEnded, line == .damaged {
        if !isHeaded { note(0..<UInt64(range.count + 1), name) }
        isHeaded = true
        scan.good(offset, range.count)
        return
      }
      let fate = try take(line, limit: min(limit ?? .max, self.limit), name)
      visit?(name, offset, bytes[range], fate)
      if fate == .damaged { return scan.bad(bytes[range], offset, isEnded) }
      if let gap = scan.good(offset, range.count) { note(gap, name) }
    }
    if !isHeaded, scan.end > 0 || durable == nil { note(0..<0, name) }
    if visit == nil, !scan.kept.isEmpty {
      try? journal.setAside(scan.kept, "damaged", segment: number)
    }
    try finish(scan, name, file, number)
  }

  private mutating func note(_ gap: Range<UInt64>, _ name: FileName) {
    recovery.note(
      JournalDamage(
        file: name.description, offset: gap.lowerBound, bytes: gap.upperBound - gap.lowerBound))
  }

  private mutating func take(
    _ line: JournalLine, limit: UInt64, _ name: FileName
  ) throws(Failure) -> JournalLine.Fate {
    switch line {
    case .damaged: return .damaged
    case .unknown(let sequence, let kind, let isCritical):
      guard advance(to: sequence, limit: limit) else { return .superseded }
      if isCritical { throw newer(name, "a record '\(Printable.text(kind, limit: 40))'") }
      recovery.ignored += 1
      return .ignored
    case .record(let record):
      guard advance(to: record.sequence, limit: limit) else { return .superseded }
      recovery.records += 1
      recovery.ledger.apply(record.transition)
      return .counted
    }
  }

  private mutating func advance(to sequence: UInt64, limit: UInt64) -> Bool {
    guard sequence > recovery.sequence, sequence <= limit else {
      recovery.superseded += 1
      return false
    }
    recovery.missing += sequence - recovery.sequence - 1
    recovery.sequence = sequence
    return true
  }

  /// Handles the bytes behind the last good line, which a crash left of an unacknowledged append. In the last
  /// segment they are copied aside and cut off, together with the reserved room.
  private mutating func finish(
    _ scan: SegmentScan, _ name: FileName, _ file: any OpenFile, _ number: UInt64
  ) throws(Failure) {
    guard number == listing.logs.last else {
      guard let tail = scan.tail else { return }
      // An abandoned segment ends like this; its torn records were never acknowledged.
      if let after = headers[number + 1]?.after, after <= recovery.sequence {
        recovery.tornBytes += UInt64(tail.count)
      } else {
        note(tail, name)
      }
      return
    }
    let read = scan.tail?.upperBound ?? scan.end
    let torn = max(scan.end, durable?.bytes ?? 0)
    if torn > scan.end { note(scan.end..<torn, name) }
    if read > torn { recovery.tornBytes += read - torn }
    if visit != nil { return }
    if let tail = scan.tail {
      do throws(SystemError) {
        let bytes = try file.read(
          at: tail.lowerBound, upTo: min(tail.count, SegmentScan.keptBytes))
        try journal.setAside(bytes, torn > scan.end ? "damaged" : "torn", segment: number)
      } catch {
        // No room for a copy: the tail stays, and the next segment's `after` excludes it.
        return
      }
    }
    // Nothing that was acknowledged is cut off, not even if it is damaged.
    if read >= torn, let writable = try? journal.folder.open(name, .write) {
      try? writable.truncate(to: torn)
      try? writable.sync()
    }
  }

  // MARK: Files

  private func end(of number: UInt64) -> SegmentEnd? {
    let name = JournalFolder.end(number)
    let seed = SegmentHeader.seed(stateID: recovery.stateID, segment: number)
    // Without the file the end of the segment is taken for torn.
    guard let bytes = try? journal.folder.open(name, .read).read(at: 0, upTo: SegmentEnd.length)
    else { return nil }
    return SegmentEnd(line: bytes, seed: seed)
  }

  private func open(_ name: FileName) throws(Failure) -> any OpenFile {
    try asMachine { () throws(SystemError) in try journal.folder.open(name, .read) }
  }

  /// No bytes of a file that is too large for a snapshot.
  private func contents(_ name: FileName) throws(Failure) -> (bytes: [UInt8], size: UInt64) {
    try asMachine { () throws(SystemError) in
      let file = try journal.folder.open(name, .read)
      let size = try file.status().size
      if size > Self.maximumSnapshotBytes { return ([], size) }
      return (try file.read(at: 0, upTo: Int(size)), size)
    }
  }

  private func newer(_ name: FileName, _ thing: String) -> Failure {
    Failure(
      .final, code: "journal.newer",
      reason: "\(journal.folder.path)/\(name) has \(thing), which this version does not know",
      advice: "Start the version that wrote it, or a newer one; nothing has been changed")
  }
}

/// Separates the good and bad bytes of one segment, line by line.
struct SegmentScan {
  /// At most this many bad bytes are copied aside.
  static let keptBytes = 1 << 20

  /// The offset behind the last good line.
  private(set) var end: UInt64 = 0
  /// Bad bytes from the middle.
  private(set) var kept: [UInt8] = []
  private var pending: [UInt8] = []
  private var badEnd: UInt64 = 0

  /// Bad bytes with no good line behind them.
  var tail: Range<UInt64>? { badEnd > end ? end..<badEnd : nil }

  mutating func bad(_ bytes: ArraySlice<UInt8>, _ offset: UInt64, _ isEnded: Bool) {
    badEnd = offset + UInt64(bytes.count) + (isEnded ? 1 : 0)
    guard kept.count + pending.count + bytes.count < Self.keptBytes else { return }
    pending.append(contentsOf: bytes)
    if isEnded { pending.append(0x0A) }
  }

  /// Returns the range of bad bytes before this line.
  @discardableResult
  mutating func good(_ offset: UInt64, _ count: Int) -> Range<UInt64>? {
    let gap = offset > end ? end..<offset : nil
    if gap != nil { kept += pending }
    pending = []
    end = offset + UInt64(count) + 1
    return gap
  }
}
