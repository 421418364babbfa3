// SPDX-License-Identifier: Apache-2.0
// STATE/journal as `darkroomctl journal` reads it: all files, including the generation before, as starts would
// read them. The daemon may be running. Changes nothing. Raises the failures of `JournalRecovery`, and
// `journal.none` where there is no journal file.

package import Vocabulary

package struct JournalLook: Sendable {
  package struct File: Equatable, Sendable {
    package let name: String
    package let bytes: UInt64
  }

  /// One line of a segment, without its checksum if it is whole.
  package struct Line: Equatable, Sendable {
    package let file: String
    package let offset: UInt64
    package let text: String
    package let fate: JournalLine.Fate
  }

  /// While the daemon runs, it may remove a file between the listing and the reading.
  private static let tries = 5

  package private(set) var files: [File] = []
  package private(set) var damages: [JournalDamage] = []
  package private(set) var damageCount = 0
  /// Acknowledged records that no file has.
  package private(set) var missing: UInt64 = 0
  /// Bytes of an append that was interrupted, or is under way.
  package private(set) var tornBytes: UInt64 = 0
  /// The lines that are not damaged, by their kind.
  package private(set) var kinds: [String: UInt64] = [:]
  /// The state that a start would find.
  package let newest: Recovery

  package var isWhole: Bool { damageCount == 0 && missing == 0 }

  /// - Parameter each: takes every line, in the order of the files.
  package static func run(
    _ folder: any Folder, each: @escaping (Line) -> Void = { _ in }
  ) throws(Failure) -> JournalLook {
    for _ in 1..<Self.tries {
      do throws(Failure) { return try JournalLook(folder, each) } catch {
        guard error.code == SystemError.Name.missing.failureCode else { throw error }
      }
    }
    return try JournalLook(folder, each)
  }

  private init(_ folder: any Folder, _ each: @escaping (Line) -> Void) throws(Failure) {
    let journal = JournalFolder(folder)
    let listing = try asMachine { () throws(SystemError) in try journal.listing() }
    guard !listing.logs.isEmpty || !listing.snapshots.isEmpty else {
      throw Failure(
        .final, code: "journal.none", reason: "there is no journal file in \(folder.path)",
        advice: "Name the state folder of a darkroomd")
    }
    // Nothing is raised for a file that disappears after the first line was passed on: a repetition would pass
    // it on again.
    files = try asMachine { () throws(SystemError) in try Self.files(journal, listing) }
    var kinds: [String: UInt64] = [:]
    let visit: JournalRecovery.Visit = { file, offset, bytes, fate in
      let line = Line(file, offset, bytes, fate)
      if fate != .damaged { kinds[line.kind, default: 0] += 1 }
      each(line)
    }
    var new = try JournalRecovery(look: journal, listing, visit)
    // The generation before, which a start reads if the newest snapshot is damaged. Files of still earlier ones
    // are what an interrupted removal has left.
    let generation = new.recovery.generation
    var old: JournalRecovery?
    if listing.snapshots.last == generation, listing.snapshots.count > 1 {
      old = try JournalRecovery(look: journal, listing.older(than: generation), visit)
    }
    let after = new.recovery.after
    try old?.replay(upTo: after)
    try new.replay()
    newest = new.recovery
    add(newest)
    if newest.isLost { missing += after }
    if let before = old?.recovery {
      add(before)
      // The newest generation tells how far this one was acknowledged.
      if before.sequence < after { missing += after - before.sequence }
    }
    self.kinds = kinds
  }

  private static func files(
    _ journal: JournalFolder, _ listing: JournalFolder.Listing
  ) throws(SystemError) -> [File] {
    let names =
      (listing.snapshots.map { JournalFolder.snapshot($0) }
      + listing.logs.map { JournalFolder.log($0) }).sorted { $0.description < $1.description }
    return try names.map { name throws(SystemError) in
      File(name: "\(name)", bytes: try journal.folder.status(of: name).size)
    }
  }

  private mutating func add(_ recovery: Recovery) {
    damages += recovery.damages
    damageCount += recovery.damageCount
    missing += recovery.missing
    tornBytes += recovery.tornBytes
  }
}

extension JournalLook.Line {
  fileprivate init(
    _ file: FileName, _ offset: UInt64, _ line: ArraySlice<UInt8>, _ fate: JournalLine.Fate
  ) {
    let bytes = fate == .damaged ? line : line.dropFirst(9)
    self.init(
      file: "\(file)", offset: offset, text: String(decoding: bytes, as: UTF8.self), fate: fate)
  }

  /// `filtered`; empty if the line has none.
  fileprivate var kind: String {
    let words = text.split(separator: " ", maxSplits: 3)
    return words.count > 2 ? String(words[2]) : ""
  }
}

extension JournalFolder.Listing {
  /// The files of earlier generations.
  fileprivate func older(than generation: UInt64) -> JournalFolder.Listing {
    var listing = JournalFolder.Listing()
    listing.logs = logs.filter { $0 < generation }
    listing.snapshots = snapshots.filter { $0 < generation }
    return listing
  }
}
