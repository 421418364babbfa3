// SPDX-License-Identifier: Apache-2.0
// Opens the journal of a state folder: creates the folders, recovers, reserves the list numbers in use, and
// begins a fresh segment, all durable. Raises `Failure`.

package import Vocabulary

package struct RecorderStart: Sendable {
  package let recovery: Recovery
  package let journal: Journal
  /// STATE/lists.
  package let lists: any Folder

  package static func run(
    _ state: any Folder, _ settings: JournalSettings
  ) throws(Failure) -> RecorderStart {
    let (journal, lists, numbers) = try asMachine { () throws(SystemError) in
      let journal = JournalFolder(try state.folder(FileName(literal: "journal"), creating: true))
      let lists = try state.folder(FileName(literal: "lists"), creating: true)
      try state.sync()
      return (journal, lists, try lists.names().compactMap(ListFolder.number))
    }
    var recovery = try JournalRecovery.run(journal, settings, hasLists: !numbers.isEmpty)
    let next = recovery.ledger.nextList
    // Others are left from a crash before their record: the recovery of the inbox records or removes them.
    recovery.unrecorded = UInt64(
      numbers.count { list in
        list >= next
          && (try? lists.folder(ListFolder.name(list), creating: false).has(ListFolder.returned))
            == true
      })
    if let highest = numbers.max() { recovery.ledger.reserve(upTo: highest) }
    return RecorderStart(
      recovery: recovery,
      journal: try asMachine { () throws(SystemError) in
        try Journal(journal, after: recovery, settings)
      }, lists: lists)
  }
}
