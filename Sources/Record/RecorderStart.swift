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
    let folder = try folder("journal", in: state)
    let lists = try Self.folder("lists", in: state)
    let numbers: [UInt64]
    do throws(SystemError) {
      try state.sync()
      numbers = try lists.names().compactMap { UInt64($0.description) }
    } catch { throw error.failure }
    let journal = JournalFolder(folder)
    var recovery = try JournalRecovery.run(journal, settings, hasLists: !numbers.isEmpty)
    if let highest = numbers.max() { recovery.ledger.reserve(upTo: ListID(highest)) }
    do throws(SystemError) {
      return RecorderStart(
        recovery: recovery, journal: try Journal(journal, after: recovery, settings), lists: lists)
    } catch { throw error.failure }
  }

  private static func folder(
    _ name: StaticString, in state: any Folder
  ) throws(Failure) -> any Folder {
    do throws(SystemError) {
      return try state.folder(FileName(literal: name), creating: true)
    } catch { throw error.failure }
  }
}
