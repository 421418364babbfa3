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
      let lists = try lists(start.recovery.ledger, ResultRows(lists: start.lists))
      object["lists"] = .array(lists)
      let again = try readAgain(state)
      let listsAgain = try self.lists(again.ledger, ResultRows(lists: start.lists))
      object["same"] = .bool(
        again.sequence == start.recovery.sequence
          && again.ledger.nextList == start.recovery.ledger.nextList
          && again.missing == 0 && again.damageCount == 0 && listsAgain == lists)
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

  private static func lists(_ ledger: Ledger, _ rows: ResultRows) throws(Failure) -> [JSONValue] {
    var lists: [JSONValue] = []
    for entry in ledger.lists.values.sorted(by: { $0.id < $1.id }) {
      lists.append(.object(try list(entry, rows)))
    }
    return lists
  }

  private static func list(_ entry: ListEntry, _ rows: ResultRows) throws(Failure) -> JSONObject {
    let photos = entry.acceptance.photos
    var states: [JSONValue] = []
    var digests: [JSONValue] = []
    for photo in 0..<photos {
      // Empty for all photos of a final list.
      states.append(.string(entry.state(of: photo + 1)?.name ?? ""))
      let row = try rows.row(PhotoID(list: entry.id, number: photo + 1))
      digests.append(.string(row?.state == .filtered ? String(hex: row?.sha256 ?? []) : ""))
    }
    return JSONObject([
      "id": .count(entry.id.number), "state": .string(entry.state.name),
      "sha256": .string(entry.acceptance.sha256), "photos": .count(entry.acceptance.photos),
      "filtered": .count(entry.counts.filtered), "failed": .count(entry.counts.failed),
      "states": .array(states), "digests": .array(digests),
    ])
  }
}
