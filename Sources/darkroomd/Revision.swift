// SPDX-License-Identifier: Apache-2.0
// A list that was dropped again, the same or changed: photos that are as they were keep their prints and
// are not redone. Begun again after a crash, it does what is missing. Raises what the files raise.
// Concurrency: immutable; one at a time for a list.

import Catalog
import Digests
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
  /// A list that took over from another and was given up before it had seen to all: so far back.
  private static let longestLine = 16

  /// An earlier list, and where its photos stand once somebody had to search.
  private final class Past {
    let room: ListRoom
    private var places: NamePlaces?

    init(_ room: ListRoom) { self.room = room }

    /// The photo's number there, where it is there unchanged.
    func place(of entry: CatalogEntry, at number: UInt32) async throws(Failure) -> UInt32? {
      if let before = try? room.catalog.entry(number), before.isSame(as: entry) { return number }
      if places == nil { places = try await NamePlaces(room.catalog) }
      return places?.candidates(entry.name).first { place in
        (try? room.catalog.entry(place)).map { $0.isSame(as: entry) } ?? false
      }
    }
  }

  /// Records as filtered what the earlier list has filtered, and says how many that were.
  func carry() async throws(Failure) -> Int {
    let new = try shelf.room(list)
    let pasts = try pasts(of: new)
    if pasts.isEmpty { return 0 }
    var count = 0
    var changes: [Change] = []
    var effects: [Effect] = []
    for number in 1...new.catalog.count {
      if recorder.ledger({ $0.state(of: PhotoID(list: list, number: number)) }) == .new,
        let entry = try? new.catalog.entry(number), entry.problem == nil,
        let row = try await keptRow(entry, number, new, pasts)
      {
        let hash = SHA256Digest(bytes: row.sha256).prefix
        changes.append(
          .filtered(
            PhotoID(list: list, number: number), Contents(size: row.bytes, hash: hash)))
        effects.append(.row(list, row))
      }
      if changes.count == Self.batch || (number == new.catalog.count && !changes.isEmpty) {
        try await recorder.record(changes, after: effects)
        count += changes.count
        (changes, effects) = ([], [])
      }
      if number % 4096 == 0 {
        if recorder.ledger({ $0[list]?.state.isFinal }) != false { throw .cancelled }
        await Task.yield()
      }
    }
    return count
  }

  /// The earlier list, and those it took over from. Other settings are other pictures.
  private func pasts(of new: ListRoom) throws(Failure) -> [Past] {
    var pasts: [Past] = []
    var next: ListID? = earlier
    while let list = next, pasts.count < Self.longestLine {
      guard let old = pasts.isEmpty ? try shelf.look(list) : try? shelf.look(list) else { break }
      next = old.terms.revises
      guard new.terms.prints == old.terms.prints, new.terms.filter == old.terms.filter,
        new.terms.quality == old.terms.quality, new.terms.metadata == old.terms.metadata
      else { break }
      pasts.append(Past(old))
    }
    return pasts
  }

  /// What is known of the print, where it lies in its place and has the same name now.
  private func keptRow(
    _ entry: CatalogEntry, _ number: UInt32, _ new: ListRoom, _ pasts: [Past]
  ) async throws(Failure) -> ResultRow? {
    for past in pasts {
      guard let before = try await past.place(of: entry, at: number),
        var row = try? recorder.results.row(PhotoID(list: past.room.id, number: before)),
        row.state == .filtered, let format = PictureFormat(rawValue: row.format)
      else { continue }
      let name = new.printName(number, entry.name, format)
      guard name == past.room.printName(before, entry.name, format),
        let status = try? new.printFolder().folder.status(of: name), status.kind == .file,
        status.size == row.bytes
      else { return nil }
      row.photo = number
      return row
    }
    return nil
  }
}
