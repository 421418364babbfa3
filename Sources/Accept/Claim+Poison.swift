// SPDX-License-Identifier: Apache-2.0
// Lists whose reading kills the worker: tried once more at once, then set aside for good. What died is
// on the disk before the next try, so no restart forgets it, and no list keeps the daemon busy for ever.

internal import Vocabulary

extension Claim {
  func readCarefully(
    _ draft: ListDraft, _ copy: any OpenFile, sha256: String
  ) throws(Failure) -> ListTerms {
    let before = try kernel { () throws(SystemError) in
      try quarantine.deaths(sha256: sha256)
    }
    var deaths = max(before, died[sha256]?.count ?? 0)
    var words = died[sha256]?.words ?? "as it did before"
    while deaths < Quarantine.maximumDeaths {
      do throws(Failure) {
        let terms = try readOnce(draft, copy)
        if deaths > 0 { forgetDeaths(sha256) }
        return terms
      } catch {
        guard error.isWorkerDeath else { throw error }
        deaths += 1
        words = error.reason
        try count(error, of: sha256, deaths, draft.list, draft.name)
        try kernel { () throws(SystemError) in try draft.catalog.truncate(to: 0) }
      }
    }
    throw try setAside(draft, copy, sha256, words)
  }

  private func readOnce(
    _ draft: ListDraft, _ copy: any OpenFile
  ) throws(Failure) -> ListTerms {
    try catalogue(copy, in: draft.catalog)
    return try settle(draft)
  }

  /// Through a worker.
  func catalogue(_ list: any OpenFile, in catalog: any OpenFile) throws(Failure) {
    let reception = reception
    try bridge.wait { () async throws(Failure) in
      try await reception.readList(list, catalog: catalog)
    }
  }

  func count(
    _ death: Failure, of sha256: String, _ deaths: Int, _ list: ListID, _ name: FileName
  ) throws(Failure) {
    // Told even where it cannot be noted: it has happened.
    defer {
      reception.workerDied(list, name: name, death, isLast: deaths >= Quarantine.maximumDeaths)
    }
    try note(deaths, death.reason, sha256)
  }

  /// In memory as well: a full disk must not make it start over.
  private func note(_ deaths: Int, _ words: String, _ sha256: String) throws(Failure) {
    if died.count >= Quarantine.maximumEntries { died = [:] }
    died[sha256] = (deaths, words)
    try kernel { () throws(SystemError) in try quarantine.note(deaths: deaths, sha256: sha256) }
  }

  private func forgetDeaths(_ sha256: String) {
    died[sha256] = nil
    // Left behind, it costs these bytes their second try, should they be dropped again.
    try? quarantine.forget(sha256: sha256)
  }

  private func setAside(
    _ draft: ListDraft, _ copy: any OpenFile, _ sha256: String, _ words: String
  ) throws(Failure) -> Failure {
    let stem = Quarantine.stem(sha256: sha256)
    let story = PoisonStory(
      list: draft.list, name: draft.name.bytes, sha256: sha256, death: words,
      time: clock.wallTime())
    try kernel { () throws(SystemError) in try quarantine.setAside(copy, as: stem, story) }
    // From here on the disk knows; what somebody removes there is forgotten.
    died[sha256] = nil
    return Failure(
      .final, code: "list.poison",
      reason: "reading it killed the worker twice; it is set aside as quarantine/\(stem): \(words)",
      advice: "Remove what is called \(stem) there to have it read once more")
  }

  private func kernel<Value>(_ act: () throws(SystemError) -> Value) throws(Failure) -> Value {
    do throws(SystemError) { return try act() } catch { throw error.machine }
  }
}
