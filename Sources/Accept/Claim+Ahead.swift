// SPDX-License-Identifier: Apache-2.0
// What can be done while a file is still too young to be tried: the next list's folder is made, and a
// worker reads a copy of the file. That is most of what taking a list in waits for. Nothing is believed
// of it: when the file is tried, its bytes must be those of the copy, else the work is done anew. Nothing is
// told but the death of a worker; where something fails, nothing is there, and the attempt tells.

internal import Linux
internal import Vocabulary

extension Claim {
  /// Longer files are read when they are tried: whoever waits for those does not count milliseconds.
  private static let longestAhead: UInt64 = 256 << 10

  func prepare(for candidate: Candidate) {
    layOut()
    if isWorthReading(candidate) { readAhead(candidate) }
  }

  private func layOut() {
    let list = number()
    if laidOut?.list == list { return }
    reception.foresee()
    do throws(SystemError) {
      try lists.removeFlat(ListFolder.staged(list))
      laidOut = try StagedList(list, in: lists)
    } catch { try? lists.removeFlat(ListFolder.staged(list)) }
  }

  /// Nobody came for it.
  func clearLayout() {
    if let laidOut { try? lists.removeFlat(ListFolder.staged(laidOut.list)) }
    laidOut = nil
  }

  /// A file that changes again and again is not read each time.
  private func isWorthReading(_ candidate: Candidate) -> Bool {
    let now = clock.uptime()
    guard candidate.key.place == .inbox, 1...Self.longestAhead ~= candidate.status.size,
      now >= nextAhead
    else { return false }
    nextAhead = now + settings.dwell
    return true
  }

  private func readAhead(_ candidate: Candidate) {
    guard var staged = laidOut else { return }
    do throws(SystemError) {
      try staged.empty()
      guard let sum = try copied(candidate, to: staged), died[sum.sha256] == nil,
        try quarantine.deaths(sha256: sum.sha256) == 0, try catalogue(candidate, staged, sum)
      else { return }
      try staged.sync([staged.copy.in, staged.catalog])
      staged.catalogued = sum
      laidOut = staged
    } catch {}
  }

  /// The lease is let go before the bytes are read, so that no writer waits for a worker.
  private func copied(
    _ candidate: Candidate, to staged: StagedList
  ) throws(SystemError) -> FileCopy.Sum? {
    let original: Original
    do throws(Attempt) { original = try open(candidate, .lease) } catch { return nil }
    defer { original.release() }
    return try FileCopy.copy(
      original.file, to: staged.copy.in, upTo: candidate.status.size,
      unless: { bridge.isCancelled })
  }

  private func catalogue(
    _ candidate: Candidate, _ staged: StagedList, _ sum: FileCopy.Sum
  ) throws(SystemError) -> Bool {
    let (reception, text, catalog) = (reception, staged.copy.out, staged.catalog)
    do throws(Failure) {
      try bridge.wait { () async throws(Failure) in
        try await reception.readList(text, catalog: catalog)
      }
      return true
    } catch {
      if error.isWorkerDeath { try? count(error, of: sum.sha256, 1, staged.list, candidate.name) }
      try catalog.truncate(to: 0)
      return false
    }
  }
}
