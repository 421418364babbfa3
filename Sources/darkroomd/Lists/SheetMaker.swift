// SPDX-License-Identifier: Apache-2.0
// Makes the pages of a list's contact sheet from its catalog, its record and its rows, and writes them beside its
// prints: each by a rename, none synced, for it can be made again. Raises a `Failure` of the list's files or of the
// disk.
// Concurrency: immutable; waits for a disk.

import Accept
import Catalog
import Digests
import Files
import Output
import Present
import Record
import Vocabulary

struct SheetMaker: OnGround {
  /// A list as its sheet shows it.
  struct Subject {
    let open: OpenList
    let prints: PrintFolder
    let head: SheetHead

    var id: ListID { open.id }
    var pages: UInt32 { SheetPage.count(of: head.total) }
  }

  /// A page under its hidden name.
  struct Draft {
    let name: FileName
    /// Every photo has its print or its failure.
    let isWhole: Bool
    let hasFailures: Bool
  }

  let ground: Ground

  /// Nil if the record does not have the list, or there is no folder with its prints.
  func subject(_ list: ListID) throws(Failure) -> Subject? {
    let facts = recorder.ledger { ledger in
      ledger[list].map { ($0.state, $0.acceptedTime, $0.acceptance.photos, $0.counts) }
    }
    guard let (state, accepted, total, counts) = facts else { return nil }
    let open = try lists.look(list)
    guard let found = try lists.folders.printFolder(of: list, open.terms) else { return nil }
    let head = SheetHead(
      list: list, name: open.name, title: open.terms.title, filter: open.terms.filter,
      quality: open.terms.quality, state: state, accepted: accepted, total: total,
      filtered: counts.filtered, failed: counts.failed)
    let readers = open.terms.readers(open.about.owner)
    return Subject(
      open: open, prints: PrintFolder(found, for: readers, mark: lists.folders.mark), head: head)
  }

  /// Equal as long as the page would be the same. The photos of a list that is over have no states any more.
  func mark(_ page: UInt32, of subject: Subject, failing: [UInt32]) -> Int {
    var hasher = Hasher()
    if page == 1 || subject.head.state.isFinal {
      hasher.combine(subject.head.state.rawValue)
      hasher.combine(subject.head.filtered)
      hasher.combine(subject.head.failed)
    }
    if page == 1 { hasher.combine(failing) }
    for state in states(page, of: subject) { hasher.combine(state) }
    return hasher.finalize()
  }

  private func states(_ page: UInt32, of subject: Subject) -> [RecordedState] {
    let numbers = SheetPage.numbers(on: page, of: subject.head.total)
    return recorder.ledger { ledger in
      numbers.map { ledger.state(of: PhotoID(list: subject.id, number: $0)) }
    }
  }

  /// Writes a page under a hidden name, and leaves nothing behind if that fails; `show` gives it its own.
  /// - Parameter failing: the pages that have failed photos, as far as they are known.
  func draft(
    _ page: UInt32, of subject: Subject, _ rows: ResultReader, failing: [UInt32], as mark: String
  ) throws(Failure) -> Draft {
    let numbers = SheetPage.numbers(on: page, of: subject.head.total)
    var tiles: [SheetTile] = []
    for (number, state) in zip(numbers, states(page, of: subject)) {
      let entry = try subject.open.catalog.entry(number)
      // A row may be of an earlier attempt, or from before its record.
      let isKnown = !state.isUnfinished
      let tile = SheetTile(
        number: number, name: entry.name,
        content: isKnown ? content(number, entry, subject, rows) : .missing)
      tiles.append(tile)
    }
    let sheet = SheetPage(subject.head, number: page, tiles: tiles, failing: failing)
    let html = sheet.html { SHA256.digest(of: $0).bytes }
    let name = FileName(made: ".\(lists.folders.mark)\(subject.id)-page\(page).\(mark)")
    do throws(SystemError) {
      let draft = try subject.prints.draft(name)
      try draft.file.write(html, at: 0)
    } catch {
      try? subject.prints.folder.removeIfThere(name)
      throw error.machineFailure
    }
    return Draft(
      name: name, isWhole: !tiles.contains { $0.content == .missing },
      hasFailures: tiles.contains(where: \.isFailed))
  }

  private func content(
    _ number: UInt32, _ entry: CatalogEntry, _ subject: Subject, _ rows: ResultReader
  ) -> SheetTile.Content {
    guard let row = try? rows.row(number) else { return .missing }
    if row.state == .failed { return .failed(reason: row.reason) }
    guard row.state == .filtered, let format = PictureFormat(rawValue: row.format) else {
      return .missing
    }
    let file = subject.open.printName(number, entry.name, format)
    if subject.head.state == .cancelled {
      // A row is written before its print appears.
      let size = try? subject.prints.folder.status(of: file).size
      guard size == row.bytes else { return .missing }
    }
    return .print(
      SheetTile.Print(
        file: file, width: row.width, height: row.height, thumbnail: row.thumbnail))
  }

  func show(_ draft: Draft, as page: UInt32, of subject: Subject) throws(SystemError) {
    let folder = subject.prints.folder
    try folder.rename(draft.name, to: folder, as: SheetPage.file(page), replacing: true)
  }

  /// Removes pages of an earlier list in this folder, from this one on. The last goes first, so that a crash leaves no
  /// page behind a gap.
  func removePages(from first: UInt32, of subject: Subject) throws(SystemError) {
    let folder = subject.prints.folder
    var end = first
    while try folder.has(SheetPage.file(end)) { end += 1 }
    while end > first {
      end -= 1
      try folder.removeIfThere(SheetPage.file(end))
    }
  }
}
