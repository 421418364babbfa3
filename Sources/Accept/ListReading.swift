// SPDX-License-Identifier: Apache-2.0
// Has a worker read a list and fixes its terms. A list that kills its worker is read again at once; after the
// second death it is set aside for good. Each death is on disk before the next try, so a restart does not
// forget it, and no list can kill workers forever. Confined to the inbox's thread. Raises a `Failure`.

internal import Files
internal import Vocabulary

struct ListReading {
  let memory: ClaimMemory

  private var parts: ClaimParts { memory.parts }

  func read(
    _ draft: ListDraft, _ copy: any OpenFile, sha256: String
  ) async throws(Failure) -> ListTerms {
    let before = try asMachine { () throws(SystemError) in
      try parts.quarantine.deaths(sha256: sha256)
    }
    var deaths = max(before, memory.died[sha256]?.count ?? 0)
    var words = memory.died[sha256]?.words ?? "as before"
    while deaths < Quarantine.maximumDeaths {
      do throws(Failure) {
        try await parts.readList(copy, of: draft.owner, into: draft.catalog, in: draft.folder)
        let terms = try await memory.prepare(draft)
        if deaths > 0 { forgetDeaths(sha256) }
        return terms
      } catch {
        guard error.isWorkerDeath else { throw error }
        deaths += 1
        words = error.reason
        try count(error, of: sha256, deaths, draft.list, draft.name)
      }
    }
    throw try await setAside(draft, copy, sha256, words)
  }

  func count(
    _ death: Failure, of sha256: String, _ deaths: Int, _ list: ListID, _ name: FileName
  ) throws(Failure) {
    // Report the death even if it cannot be noted.
    defer {
      let isLast = deaths >= Quarantine.maximumDeaths
      parts.rules.tell(.workerDied(list, name, death, isLast: isLast))
    }
    // In memory as well: a full disk must not reset the count.
    if memory.died.count >= Quarantine.maximumEntries { memory.died = [:] }
    memory.died[sha256] = (deaths, death.reason)
    try asMachine { () throws(SystemError) in
      try parts.quarantine.note(deaths: deaths, sha256: sha256)
    }
  }

  private func forgetDeaths(_ sha256: String) {
    memory.died[sha256] = nil
    // If the note stays, the same bytes get only one try the next time.
    try? parts.quarantine.forget(sha256: sha256)
  }

  private func setAside(
    _ draft: ListDraft, _ copy: any OpenFile, _ sha256: String, _ words: String
  ) async throws(Failure) -> Failure {
    let stem = Quarantine.stem(sha256: sha256)
    let story = PoisonStory(
      list: draft.list, name: draft.name.bytes, sha256: sha256, death: words,
      time: parts.clock.wallTime())
    do throws(SystemError) {
      try await LongFiles.aside(copy.status().size) {
        [quarantine = parts.quarantine] () throws(SystemError) in
        try quarantine.setAside(copy, as: stem, story)
      }
    } catch { throw error.machineFailure }
    // From here on only the disk counts, so that a person can lift the quarantine there.
    memory.died[sha256] = nil
    return Failure(
      .final, code: "list.poison",
      reason: "reading it killed the worker twice; it is set aside as quarantine/\(stem): \(words)",
      advice: "Remove \(stem)* there to have it read again")
  }
}

extension ClaimParts {
  private static let written = FileName(literal: ".catalog")

  /// Has a worker read the list, and copies what it wrote into the empty catalog. A worker that a list has taken over may
  /// write, truncate and map its file as long as it lives; it never holds a descriptor of the catalog.
  func readList(
    _ list: any OpenFile, of owner: UInt32, into catalog: any OpenFile, in folder: any Folder
  ) async throws(Failure) {
    // Without a name: it is gone with the last descriptor, even after a crash.
    let written = try asMachine { () throws(SystemError) in try folder.openUnnamed(Self.written) }
    try await rules.readList(list, of: owner, catalog: written)
    do throws(SystemError) {
      let size = try written.status().size
      try await LongFiles.aside(size) { () throws(SystemError) in
        _ = try FileCopy.copy(written, to: catalog, upTo: size)
      }
    } catch { throw error.machineFailure }
  }
}
