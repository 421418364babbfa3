// SPDX-License-Identifier: Apache-2.0
// The journal file as its one writer holds it: appends lines, makes them durable, and goes over to a
// new segment when one is full or has failed. A descriptor whose sync has failed is never used again:
// the kernel reports a lost page once, and after that says that all is well.

package import Vocabulary

package struct Journal: Sendable {
  /// Why lines are not durable.
  package enum Trouble: Error, Equatable {
    /// No room. Nothing was recorded; try again when there is some.
    case waits(Failure)
    /// Neither the old segment nor a new one takes lines. Only a restart can help.
    case over(Failure)
  }

  private struct OpenSegment {
    let number: UInt64
    let file: any OpenFile
    let seed: UInt32
    /// Everything before is durable, nothing behind is ours.
    var end: UInt64
  }

  private let folder: JournalFolder
  private let settings: JournalSettings
  private let stateID: String
  /// Nil after a failure, until a new one could be made.
  private var segment: OpenSegment?
  /// The last number that is or may be in use.
  private var lastNumber: UInt64
  /// The segment whose snapshot recovery would fall back to.
  private var generation: UInt64
  private var rotatesAt: UInt64 = 0
  /// The lines of a group; its room is used again.
  private var text = LineText()
  /// The last sequence number that is durable.
  package private(set) var sequence: UInt64

  /// Begins a fresh segment with a fresh snapshot, durable when this returns: what recovery has read
  /// may be in memory only, and a file whose last sync may have failed is not appended to.
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

  /// All of the transitions are durable when this returns, none is to be counted on when it raises.
  /// `ledger` is the state without them.
  package mutating func append(
    _ transitions: [Transition], ledger: () -> Ledger
  ) throws(Trouble) {
    guard !transitions.isEmpty else { return }
    rotate(ledger)
    guard var open = segment else { return try restart(transitions, ledger) }
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
    segment = open
    sequence += UInt64(transitions.count)
  }

  /// Gives back what was reserved; the last act.
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

  /// Lines that were written in part must not be found behind shorter ones that follow.
  private mutating func takeBack(_ open: OpenSegment) {
    do throws(SystemError) {
      try open.file.truncate(to: open.end)
    } catch { segment = nil }
    reserve(open.file, end: open.end)
  }

  /// Room that a file system cannot or will not set aside is found out when it is needed. A request
  /// that fails may have taken all that was left (ext4 keeps it): that is given back.
  private func reserve(_ file: any OpenFile, end: UInt64) {
    do throws(SystemError) {
      try file.reserve(settings.segmentBytes + settings.spareBytes)
    } catch { try? file.truncate(to: end) }
  }

  /// A segment that cannot be left, for want of room, is filled further for a while.
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

  /// Makes the next generation: snapshot and segment whole under other names, then both appear. From
  /// the first rename on, the segment before is closed: whatever it got afterwards would be cut off
  /// by the new one's `after`.
  private mutating func begin(
    _ transitions: [Transition], _ ledger: Ledger
  ) throws(SystemError) {
    let number = lastNumber + 1
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
    segment = OpenSegment(number: number, file: file, seed: seed, end: UInt64(bytes.count))
    rotatesAt = settings.segmentBytes
    sequence += UInt64(transitions.count)
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
