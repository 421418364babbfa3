// SPDX-License-Identifier: Apache-2.0
// A list that was dropped again, the same or changed: unchanged photos keep their prints and are not
// developed again, unless a print was replaced since; those that were only downloaded keep their originals; if photos were named for a retry,
// the others that failed stay failed. Repeated after a crash, it does only what is missing. Raises the
// failures of the list's files and of the record, and `cancelled` when the list is over.
// Concurrency: immutable; one at a time for a list; waits for a disk.

import Accept
import Catalog
import Digests
import Download
import Files
import Output
import Record
import Vocabulary

struct Revision: Sendable {
  let list: ListID
  /// Over, and none of its photos is being worked on.
  let earlier: ListID
  let lists: OpenLists
  let recorder: Recorder
  /// A block of photos is one turn of the owner.
  let turns: UserLines

  private static let batch: UInt32 = 256
  /// How many earlier revisions are searched, for when one was cancelled before it had carried everything
  /// over.
  private static let longestLine = 16

  /// An earlier list, with an index of its photos after the first search.
  private final class Past {
    let list: OpenList
    /// False if its prints were made with other settings.
    let hasPrints: Bool
    /// The prints that its rows tell are known to be there: each row has its record, and no later list has replaced a
    /// print. Otherwise a print of the right size may belong to another list.
    let isProven: Bool
    let originals: [UInt32: Contents]
    /// Nil if there are none.
    let folder: (any Folder)?
    private var places: EntryPlaces?

    init(
      _ list: OpenList, hasPrints: Bool, isProven: Bool, _ originals: [UInt32: Contents],
      in folder: (any Folder)?
    ) {
      (self.list, self.hasPrints, self.isProven) = (list, hasPrints, isProven)
      self.folder = folder
      self.originals = folder == nil ? [:] : originals
    }

    /// The number of the same photo there; nil if it is missing or has changed.
    func place(of photo: Sought) async throws(Failure) -> UInt32? {
      if holds(photo.entry, at: photo.number) { return photo.number }
      if places == nil { places = try await EntryPlaces(list.catalog) }
      return places?.candidates(photo.workHash).first { holds(photo.entry, at: $0) }
    }

    private func holds(_ entry: CatalogEntry, at number: UInt32) -> Bool {
      guard number <= list.catalog.count else { return false }
      return (try? list.catalog.entry(number))?.isSame(as: entry) ?? false
    }
  }

  /// A photo of the new list. Its hash is made once for all earlier lists, and only for a photo that has moved.
  private final class Sought {
    let entry: CatalogEntry
    let number: UInt32
    private(set) lazy var workHash = entry.workHash

    init(_ entry: CatalogEntry, at number: UInt32) { (self.entry, self.number) = (entry, number) }
  }

  /// Records every unchanged photo that an earlier list has filtered or downloaded, or that failed there and is
  /// not tried again; returns their count.
  func carry() async throws(Failure) -> Int {
    let new = try lists.look(list)
    let prints = try lists.folders.printFolder(of: list, new.terms)
    let pasts = try pasts(of: new, in: prints)
      .filter { !$0.originals.isEmpty || ($0.hasPrints && prints != nil) }
    guard !pasts.isEmpty || new.terms.again != nil else { return 0 }
    let home = try asMachine { () throws(SystemError) in
      pasts.allSatisfy(\.originals.isEmpty)
        ? nil
        : try lists.folders.originals.folder(FileName(number: list.number), creating: true)
    }
    let sheet = prints.flatMap { try? SheetFolder(of: $0) }
    // The earlier list's own takeover may have been cancelled half-way.
    try? sheet?.settle(earlier)
    var count = 0
    var changes: [Change] = []
    var effects: [Effect] = []
    var first: UInt32 = 1
    while first <= new.catalog.count {
      let end = min(first + Self.batch, new.catalog.count + 1)
      try await turns.run(of: new.about.owner) { () async throws(Failure) in
        for number in try unbegun(first..<end) {
          if let entry = try? new.catalog.entry(number), entry.problem == nil,
            let (change, effect) = try await kept(
              Sought(entry, at: number), new, (prints, home, sheet), pasts)
          {
            changes.append(change)
            effects.append(effect)
          }
        }
        if changes.count >= Int(Self.batch) || (end > new.catalog.count && !changes.isEmpty) {
          if Task.isCancelled { throw .cancelled }
          if let sign = try sign(new, prints, for: changes) { effects.append(.sync(sign)) }
          try await recorder.record(changes, after: effects)
          count += changes.count
          (changes, effects) = ([], [])
        }
      }
      first = end
    }
    // Without its thumbnail a print is still shown.
    try? sheet?.settle(list)
    return count
  }

  /// Without an output, nothing else says that the folder holds the prints of this list. To be synced with the first one
  /// that is kept; each batch may be the first.
  private func sign(
    _ new: OpenList, _ prints: (any Folder)?, for changes: [Change]
  ) throws(Failure) -> (any OpenFile)? {
    guard let prints, let mark = new.terms.mark(of: list),
      changes.contains(where: { if case .filtered = $0 { true } else { false } })
    else { return nil }
    let readers = new.terms.readers(new.about.owner)
    return try asMachine { () throws(SystemError) in try mark.put(on: prints, for: readers) }
  }

  /// The new photos among these; `cancelled` once the list is over. The lock of the record is taken once for all.
  private func unbegun(_ numbers: Range<UInt32>) throws(Failure) -> [UInt32] {
    let found: [UInt32]? = recorder.ledger { ledger in
      guard ledger[list]?.state.isFinal == false else { return nil }
      return numbers.filter { ledger.state(of: PhotoID(list: list, number: $0)) == .known(.new) }
    }
    guard let found, !Task.isCancelled else { throw .cancelled }
    return found
  }

  /// The earlier list and its predecessors. From the first one on with other settings the prints differ.
  private func pasts(
    of new: OpenList, in prints: (any Folder)?
  ) throws(Failure) -> [Past] {
    var pasts: [Past] = []
    var next: ListID? = earlier
    while let list = next, pasts.count < Self.longestLine {
      guard let old = pasts.isEmpty ? try lists.look(list) : try? lists.look(list) else { break }
      next = old.terms.revises
      let hasPrints =
        pasts.last?.hasPrints != false && new.terms.prints == old.terms.prints
        && new.terms.filter == old.terms.filter && new.terms.quality == old.terms.quality
        && new.terms.metadata == old.terms.metadata
      let originals = recorder.ledger { $0.bequests[list] }
      let folder = try asMachine { () throws(SystemError) in
        originals.isEmpty
          ? nil : try lists.folders.originals.folder(ifThere: FileName(number: list.number))
      }
      let isProven = list == earlier && hasPrints ? try areProven(old, in: prints) : false
      pasts.append(
        Past(old, hasPrints: hasPrints, isProven: isProven, originals, in: folder))
    }
    return pasts
  }

  /// A crash, or a cancel during an output, can leave a row without a record, and perhaps without its print. Prints of a
  /// later list, which an older state folder does not know, may have taken their places.
  private func areProven(_ old: OpenList, in prints: (any Folder)?) throws(Failure) -> Bool {
    if let prints, let mark = old.terms.mark(of: earlier) {
      let claim = try asMachine { () throws(SystemError) in try mark.claim(on: prints) }
      guard claim.mayPrint else { return false }
    }
    guard let recorded = recorder.ledger({ $0[earlier]?.counts.filtered }) else { return false }
    return try recorder.results.reader(earlier).filtered(of: old.catalog.count) == recorded
  }

  /// The change that records the photo's earlier print, otherwise its earlier original; nil without either.
  private func kept(
    _ sought: Sought, _ new: OpenList,
    _ folders: (prints: (any Folder)?, originals: (any Folder)?, sheet: SheetFolder?),
    _ pasts: [Past]
  ) async throws(Failure) -> (Change, Effect)? {
    let number = sought.number
    let photo = PhotoID(list: list, number: number)
    if let prints = folders.prints,
      let row = try await keptRow(sought, new, (prints, folders.sheet), pasts)
    {
      let hash = SHA256Digest(bytes: row.sha256).prefix
      return (.filtered(photo, Contents(size: row.bytes, hash: hash)), .row(list, row))
    }
    if let again = new.terms.again, !again.contains(number), let failed = try failure(of: photo) {
      return failed
    }
    guard let home = folders.originals else { return nil }
    for past in pasts where !past.originals.isEmpty {
      guard let before = try await past.place(of: sought),
        let contents = past.originals[before],
        try link(PhotoID(list: past.list.id, number: before), in: past, contents, home, as: photo)
      else { continue }
      return (.downloaded(photo, contents), .syncFolder(home))
    }
    return nil
  }

  /// A retry has the catalog of the earlier list, so that the numbers are the same.
  private func failure(of photo: PhotoID) throws(Failure) -> (Change, Effect)? {
    let before = PhotoID(list: earlier, number: photo.number)
    let row: ResultRow?
    do throws(Failure) { row = try recorder.results.row(before) } catch {
      guard error.kind == .final else { throw error }
      row = nil
    }
    guard let row, row.state == .failed else { return nil }
    // A row does not tell the step; only a photo that was downloaded has spent time in one.
    let stage: Stage = row.downloadMicroseconds > 0 ? .filter : .download
    let change = Change.failed(photo, stage, code: row.code, attempt: row.attempts)
    return (change, .row(list, row))
  }

  /// Gives the earlier original a second name in the new list's folder; false if it is gone or has another
  /// size.
  private func link(
    _ old: PhotoID, in past: Past, _ contents: Contents, _ home: any Folder, as photo: PhotoID
  ) throws(Failure) -> Bool {
    let name = Original.name(of: old)
    do throws(SystemError) {
      guard let source = past.folder, let status = try source.status(ifThere: name),
        status.kind == .file, status.size == contents.size
      else { return false }
      try source.link(name, toEmpty: home, as: Original.name(of: photo))
      return true
    } catch {
      if error.isMissing { return false }
      throw error.machineFailure
    }
  }

  /// The row of the earlier print if the print is still in its place and the name is the same.
  private func keptRow(
    _ sought: Sought, _ new: OpenList,
    _ folders: (prints: any Folder, sheet: SheetFolder?), _ pasts: [Past]
  ) async throws(Failure) -> ResultRow? {
    let (entry, number) = (sought.entry, sought.number)
    for past in pasts where past.hasPrints {
      guard let before = try await past.place(of: sought),
        var row = try? recorder.results.row(PhotoID(list: past.list.id, number: before)),
        row.state == .filtered, let format = PictureFormat(rawValue: row.format)
      else { continue }
      let name = new.printName(number, entry.name, format)
      guard name == past.list.printName(before, entry.name, format),
        try isPrint(name, of: row, past, in: folders.prints)
      else { continue }
      row.photo = number
      // Only the last list has its numbers in the names of the thumbnails.
      if past.list.id != earlier { row.thumbnail = nil }
      if row.thumbnail != nil, before != number {
        do throws(SystemError) {
          try folders.sheet?.setAside(before, for: number, of: list)
        } catch { row.thumbnail = nil }
      }
      return row
    }
    return nil
  }

  /// The print of the row stands under the name. Its bytes are read only if another list's may stand there.
  private func isPrint(
    _ name: FileName, of row: ResultRow, _ past: Past, in prints: any Folder
  ) throws(Failure) -> Bool {
    do throws(SystemError) {
      let status = try prints.status(of: name)
      guard status.kind == .file, status.size == row.bytes else { return false }
      if past.isProven { return true }
      let print = try prints.open(name, .read)
      return try FileCopy.digest(of: print, size: row.bytes).bytes == row.sha256
    } catch {
      if error.isCancelled { throw .cancelled }
      return false
    }
  }
}
