// SPDX-License-Identifier: Apache-2.0
// The state that a start finds in a state folder, as JSON. The start changes the folder: it removes unfinished
// files, cuts a torn tail off, and begins a new generation. The state is then read from that generation again,
// and must be the same.

import Linux
import Record
import Steer
import Vocabulary

enum StateLook {
  private static let settings = JournalSettings(
    stateID: "00000000000000000000000000000001", bootID: ThisProcess.bootIdentifier)

  static func answer(_ path: String) -> JSONObject {
    do throws(Failure) {
      let state = try asMachine { () throws(SystemError) in try LinuxFolder.open(path: path) }
      let start = try RecorderStart.run(state, settings)
      var journal = start.journal
      journal.close()
      var object = facts(start.recovery)
      let lists = lists(start.recovery.ledger)
      object["lists"] = .array(lists)
      object["digests"] = .array(
        try digests(start.recovery.ledger, ResultRows(lists: start.lists)))
      let again = try readAgain(state)
      object["same"] = .bool(
        again.sequence == start.recovery.sequence
          && again.ledger.nextList == start.recovery.ledger.nextList
          && again.missing == 0 && again.damageCount == 0 && self.lists(again.ledger) == lists)
      return object
    } catch {
      return JSONObject(["error": .string(error.code), "reason": .string(error.words)])
    }
  }

  private static func readAgain(_ state: any Folder) throws(Failure) -> Recovery {
    let journal = try asMachine { () throws(SystemError) in
      JournalFolder(try state.folder(FileName(literal: "journal"), creating: false))
    }
    return try JournalRecovery.run(journal, settings, hasLists: true)
  }

  private static func facts(_ recovery: Recovery) -> JSONObject {
    JSONObject([
      "sequence": .count(recovery.sequence), "records": .count(recovery.records),
      "missing": .count(recovery.missing), "damageCount": .int(Int64(recovery.damageCount)),
      "tornBytes": .count(recovery.tornBytes), "generation": .count(recovery.generation),
      "isNew": .bool(recovery.isNew), "refused": .count(recovery.ledger.refused),
      "nextList": .count(recovery.ledger.nextList.number),
    ])
  }

  private static func entries(_ ledger: Ledger) -> [ListEntry] {
    ledger.lists.values.sorted { $0.id < $1.id }
  }

  private static func lists(_ ledger: Ledger) -> [JSONValue] {
    entries(ledger).map { .object(list($0)) }
  }

  private static func list(_ entry: ListEntry) -> JSONObject {
    let photos = entry.acceptance.photos
    // Empty for all photos of a list that is over.
    let states = (0..<photos).map { photo in
      let state: PhotoState? =
        if case .known(let state) = entry.state(of: photo + 1) { state } else { nil }
      return JSONValue.string(state?.name ?? "")
    }
    return JSONObject([
      "id": .count(entry.id.number), "state": .string(entry.state.name),
      "sha256": .string(entry.acceptance.sha256), "photos": .count(photos),
      "filtered": .count(entry.counts.filtered), "failed": .count(entry.counts.failed),
      "states": .array(states),
    ])
  }

  /// The digests of the prints in the results of each list; empty without a print.
  private static func digests(_ ledger: Ledger, _ rows: ResultRows) throws(Failure) -> [JSONValue] {
    var lists: [JSONValue] = []
    for entry in entries(ledger) {
      let reader = try rows.reader(entry.id)
      var digests: [JSONValue] = []
      for photo in 0..<entry.acceptance.photos {
        digests.append(.string(digest(reader, photo + 1)))
      }
      lists.append(.array(digests))
    }
    return lists
  }

  private static func digest(_ reader: ResultReader, _ photo: UInt32) -> String {
    do throws(Failure) {
      guard let row = try reader.row(photo), row.state == .filtered else { return "" }
      return String(hex: row.sha256)
    } catch { return error.code }
  }
}
