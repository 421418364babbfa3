// SPDX-License-Identifier: Apache-2.0
// A list that was dropped again, the same or changed: photos that are as they were keep their prints and
// are not redone. Begun again after a crash, it does what is missing. Raises what the files raise.
// Concurrency: immutable; one at a time for a list.

import Catalog
import Output
import Record
import Vocabulary

struct Revision: Sendable {
  let list: ListID
  /// Over, and with nothing on its way.
  let earlier: ListID
  let shelf: ListShelf
  let recorder: Recorder

  private static let batch = 256
  /// Where photos were moved about, the earlier list's names are kept in memory: up to so many.
  private static let longestSearch: UInt32 = 5_000_000

  /// Records as filtered what the earlier list has filtered, and says how many that were.
  func carry() async throws(Failure) -> Int {
    let new = try shelf.room(list)
    let old = try shelf.look(earlier)
    // Other settings are other pictures.
    guard new.terms.prints == old.terms.prints, new.terms.filter == old.terms.filter,
      new.terms.quality == old.terms.quality, new.terms.metadata == old.terms.metadata
    else { return 0 }
    var places: [String: UInt32]?
    var count = 0
    var changes: [Change] = []
    var effects: [Effect] = []
    for number in 1...new.catalog.count {
      if recorder.ledger({ $0.state(of: PhotoID(list: list, number: number)) }) == .new,
        let entry = try? new.catalog.entry(number), entry.problem == nil,
        let before = place(of: entry, at: number, in: old, &places),
        let row = keptRow(entry, number, before, new, old)
      {
        changes.append(
          .filtered(
            PhotoID(list: list, number: number),
            Contents(size: row.bytes, hash: row.sha256.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
          ))
        effects.append(.row(list, row))
      }
      if changes.count == Self.batch || (number == new.catalog.count && !changes.isEmpty) {
        try await recorder.record(changes, after: effects)
        count += changes.count
        (changes, effects) = ([], [])
      }
      if number % 4096 == 0 {
        if Task.isCancelled { throw .cancelled }
        await Task.yield()
      }
    }
    return count
  }

  /// The photo's number in the earlier list, where it is there unchanged.
  private func place(
    of entry: CatalogEntry, at number: UInt32, in old: ListRoom, _ places: inout [String: UInt32]?
  ) -> UInt32? {
    if let before = try? old.catalog.entry(number), before.isSame(as: entry) { return number }
    if places == nil { places = names(of: old) }
    guard let before = places?[entry.name], let found = try? old.catalog.entry(before),
      found.isSame(as: entry)
    else { return nil }
    return before
  }

  private func names(of old: ListRoom) -> [String: UInt32] {
    var names: [String: UInt32] = [:]
    guard old.catalog.count <= Self.longestSearch else { return names }
    for number in 1...old.catalog.count {
      if let entry = try? old.catalog.entry(number) { names[entry.name] = number }
    }
    return names
  }

  /// What is known of the earlier print, where it lies in its place and has the same name now.
  private func keptRow(
    _ entry: CatalogEntry, _ number: UInt32, _ before: UInt32, _ new: ListRoom, _ old: ListRoom
  ) -> ResultRow? {
    guard var row = try? recorder.results.row(PhotoID(list: earlier, number: before)),
      row.state == .filtered, let format = PictureFormat(rawValue: row.format)
    else { return nil }
    let name = new.printName(number, entry.name, format)
    guard name == old.printName(before, entry.name, format),
      let status = try? new.printFolder().folder.status(of: name), status.kind == .file,
      status.size == row.bytes
    else { return nil }
    row.photo = number
    return row
  }
}
