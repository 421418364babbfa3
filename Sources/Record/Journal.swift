// SPDX-License-Identifier: Apache-2.0
// The journal file as its only writer holds it: appends lines, makes them durable, and switches to a new
// segment when one is full or has failed. A descriptor whose sync failed is never used again: the kernel
// reports a lost page once, and later syncs succeed. Nor is a segment whose name leads to another file, or that was cut:
// its lines would be lost with it. Raises `Trouble`, from `init` `SystemError`.

package import Vocabulary

package struct Journal: Sendable {
  /// Why an append failed.
  package enum Trouble: Error, Equatable {
    /// No room. Nothing was recorded; the caller retries.
    case waits(Failure)
    /// Neither the old segment nor a new one takes lines. Only a restart helps.
    case over(Failure)
  }

  private struct OpenSegment {
    let number: UInt64
    let file: any OpenFile
    let inode: UInt64
    let seed: UInt32
    /// Takes the durable length; nil if there is no such file.
    let seal: (any OpenFile)?
    /// All bytes before this offset are durable; none behind it belong to a record.
    var end: UInt64
  }

  private let folder: JournalFolder
  private let settings: JournalSettings
  private let stateID: String
  /// Nil after a failure, until a new segment is begun.
  private var segment: OpenSegment?
  /// The highest segment number that may be in use.
  private var lastNumber: UInt64
  /// The segment of the newest snapshot that recovery can use.
  private var generation: UInt64
  private var rotatesAt: UInt64 = 0
  /// The lines of a group; the memory is reused.
  private var text = LineText()
  /// Why the last segment was lost: its file was removed, replaced or cut.
  private var loss: Failure?
  /// The last sequence number that is durable.
  package private(set) var sequence: UInt64

  /// Begins a fresh segment with a fresh snapshot, durable on return. The recovered state may be in the page
  /// cache only, and a file whose last sync may have failed must not be appended to.
  package init(
    _ folder: JournalFolder, after recovery: Recovery, _ settings: JournalSettings
  ) throws(SystemError) {
    self.folder = folder
    self.settings = settings
    stateID = recovery.stateID
    sequence = recovery.sequence
    lastNumber = recovery.lastNumber
    generation = recovery.generation
    try begin([], recovery.ledger)
  }

  package var segmentNumber: UInt64? { segment?.number }

  /// On return all transitions are durable; when it raises, none can be relied upon. `ledger` is the state
  /// before them.
  package mutating func append(
    _ transitions: [Transition], ledger: () -> Ledger
  ) throws(Trouble) {
    guard !transitions.isEmpty else { return }
    guard sequence < LineCursor.largest - UInt64(transitions.count) else {
      throw .over(
        Failure(
          .machine, code: "journal.numbers", reason: "the journal file has no numbers left"))
    }
    rotate(ledger)
    guard var open = segment else { return try restart(transitions, ledger) }
    if isLost(open, upTo: open.end) { return try restart(transitions, ledger) }
    let bytes = lines(transitions, seed: open.seed)
    do throws(SystemError) {
      try open.file.write(bytes, at: open.end)
    } catch {
      guard error.isDiskFull else { return try restart(transitions, ledger) }
      takeBack(open)
      throw .waits(error.machineFailure)
    }
    do throws(SystemError) {
      if settings.isSynced { try open.file.sync() }
    } catch { return try restart(transitions, ledger) }
    open.end += UInt64(bytes.count)
    if isLost(open, upTo: open.end) { return try restart(transitions, ledger) }
    segment = open
    sequence += UInt64(transitions.count)
    note(open)
  }

  /// If it fails, the length before stays true.
  private func note(_ open: OpenSegment) {
    let end = SegmentEnd(bytes: open.end, sequence: sequence)
    try? open.seal?.write(end.line(seed: open.seed), at: 0)
  }

  /// The segment's name leads to another file or to none, or the file is shorter. A stray call that fails tells nothing:
  /// the writes do.
  private mutating func isLost(_ open: OpenSegment, upTo end: UInt64) -> Bool {
    let name = JournalFolder.log(open.number)
    let found: FileStatus?
    do throws(SystemError) { found = try folder.folder.status(of: name) } catch {
      guard error.isMissing else { return false }
      found = nil
    }
    let what: String? =
      switch found {
      case nil: "was removed or renamed"
      case let status? where status.inode != open.inode: "was replaced by another file"
      case let status? where status.size < end: "was cut to \(status.size) bytes"
      default: nil
      }
    guard let what else { return false }
    loss = Failure(
      .final, code: "journal.segment",
      reason: "the journal file \(folder.folder.path)/\(name) \(what)",
      advice: "Leave the files of the journal to the daemon")
    return true
  }

  /// Once after a segment was lost and a new one has all records.
  package mutating func takeLoss() -> Failure? {
    defer { loss = nil }
    return loss
  }

  /// Without a sync no length is known to be durable.
  private func seal(_ number: UInt64) -> (any OpenFile)? {
    settings.isSynced ? try? folder.folder.open(JournalFolder.end(number), .create) : nil
  }

  /// Frees the reserved room. The last call.
  package mutating func close() {
    if let open = segment { try? open.file.truncate(to: open.end) }
    segment = nil
  }

  private mutating func lines(_ transitions: [Transition], seed: UInt32) -> [UInt8] {
    text.removeAll()
    text.reserve(transitions.count * 96)
    for (place, transition) in transitions.enumerated() {
      JournalRecord(sequence: sequence + UInt64(place) + 1, transition)
        .write(into: &text, seed: seed)
    }
    return text.bytes
  }

  /// Cuts off partly written lines, which must not be found behind shorter lines that follow: not after a power cut
  /// either, which may keep them with the later lines and undo the cut.
  private mutating func takeBack(_ open: OpenSegment) {
    do throws(SystemError) {
      try open.file.truncate(to: open.end)
      if settings.isSynced {
        try open.file.sync()
      }
    } catch { segment = nil }
    reserve(open.file, end: open.end)
  }

  /// Reserves room. Without a reservation, a write finds out whether there is room. A failed request may have
  /// taken the whole rest of the disk (ext4 keeps it), so it is given back.
  private func reserve(_ file: any OpenFile, end: UInt64) {
    do throws(SystemError) {
      try file.reserve(settings.segmentBytes + settings.spareBytes)
    } catch { try? file.truncate(to: end) }
  }

  /// Begins the next segment when this one is full. Without room for it, the full segment is used further and
  /// the next attempt comes a little later.
  private mutating func rotate(_ ledger: () -> Ledger) {
    guard let full = segment, full.end >= rotatesAt else { return }
    do throws(SystemError) {
      try begin([], ledger())
      try? full.file.truncate(to: full.end)
    } catch { rotatesAt = full.end + settings.spareBytes / 16 }
  }

  private mutating func restart(
    _ transitions: [Transition], _ ledger: () -> Ledger
  ) throws(Trouble) {
    segment = nil
    do throws(SystemError) {
      try begin(transitions, ledger())
    } catch {
      if error.isDiskFull { throw .waits(error.machineFailure) }
      throw .over(error.machineFailure)
    }
  }

  /// Begins the next generation: writes snapshot and segment under temporary names, then renames both. From
  /// the first rename on the old segment is closed: the new segment's `after` would exclude later records.
  private mutating func begin(
    _ transitions: [Transition], _ ledger: Ledger
  ) throws(SystemError) {
    let number = lastNumber + 1
    guard number < JournalFolder.endOfNumbers else {
      throw SystemError(.nameTooLong, call: "open", thing: "\(JournalFolder.log(number))")
    }
    let header = SegmentHeader(
      segment: number, stateID: stateID, bootID: settings.bootID, after: sequence)
    let snapshot = Snapshot(segment: number, stateID: stateID, after: sequence, ledger: ledger)
    let seed = SegmentHeader.seed(stateID: stateID, segment: number)
    let bytes = header.line + lines(transitions, seed: seed)
    let snapshotName = JournalFolder.snapshot(number)
    let logName = JournalFolder.log(number)
    let file: any OpenFile
    do throws(SystemError) {
      try make(snapshotName, snapshot.bytes)
      file = try make(logName, bytes, isReserved: true)
    } catch {
      try? folder.folder.removeIfThere(folder.unfinished(snapshotName))
      try? folder.folder.removeIfThere(folder.unfinished(logName))
      throw error
    }
    segment = nil
    lastNumber = number
    try folder.appear(snapshotName)
    try folder.appear(logName)
    if settings.isSynced { try folder.folder.sync() }
    let open = OpenSegment(
      number: number, file: file, inode: try file.status().inode, seed: seed, seal: seal(number),
      end: UInt64(bytes.count))
    segment = open
    rotatesAt = settings.segmentBytes
    sequence += UInt64(transitions.count)
    note(open)
    folder.prune(below: generation)
    generation = number
  }

  @discardableResult
  private func make(
    _ name: FileName, _ bytes: [UInt8], isReserved: Bool = false
  ) throws(SystemError) -> any OpenFile {
    let file = try folder.prepare(name)
    if isReserved { reserve(file, end: 0) }
    try file.write(bytes, at: 0)
    if settings.isSynced { try file.sync() }
    return file
  }
}
