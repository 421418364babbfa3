// SPDX-License-Identifier: Apache-2.0
// Work that is done while a file is too young to be tried: makes the next list's folder, and has a worker
// read a copy of the file. That is most of the time of a claim. The result counts only if the file has the
// same bytes when it is tried. Otherwise the claim starts over with new files, so that no worker holds a
// descriptor of another list's files. Reports the death of a worker; after any other error the file is not
// read ahead. Confined to the inbox's thread. Raises nothing.

internal import Digests
internal import Files
internal import Linux
internal import Vocabulary

/// The pace of reading ahead: slower after each copy that was not used.
struct AheadPace {
  /// No file is read ahead before this time.
  private(set) var next = Duration.zero
  private var pause: Backoff

  init(_ settings: InboxSettings) { pause = Backoff(settings.dwell, to: .seconds(5)) }

  /// Reading takes at most half of the time: the pause is at least as long as the reading.
  mutating func took(_ time: Duration, until now: Duration) {
    next = now + max(pause.take(), time)
  }

  mutating func paid() { pause.reset() }
}

final class ReadAhead {
  /// Longer files are read only when they are tried: their users do not count milliseconds.
  static let longest: UInt64 = 256 << 10

  private let parts: ClaimParts
  /// The folder made ahead for the next claim.
  private var laidOut: StagedList?
  private var pace: AheadPace
  /// A worker's refusal of bytes that were read ahead.
  private(set) var verdict: (sum: FileCopy.Sum, failure: Failure)?
  /// The file being read ahead; it is not tried meanwhile.
  private(set) var reading: Candidate.Key?

  init(_ parts: ClaimParts) {
    self.parts = parts
    pace = AheadPace(parts.settings)
  }

  // MARK: results

  /// Takes the prepared folder, with its number, for a file that is tried now.
  func take() -> StagedList? {
    defer { laidOut = nil }
    return laidOut
  }

  func takeVerdict(on sum: FileCopy.Sum) -> Failure? {
    guard let verdict, verdict.sum == sum else { return nil }
    self.verdict = nil
    return verdict.failure
  }

  /// The copy was used.
  func paid() { pace.paid() }

  // MARK: ahead

  /// Prepares a folder if there is none. Returns it if a read is due; then `run` must follow.
  func begin(_ candidate: Candidate, _ memory: ClaimMemory) async -> StagedList? {
    let size = candidate.status.size
    let isDue =
      candidate.key.place == .inbox && size > 0
      && size <= min(Self.longest, parts.settings.maximumListSize)
      && parts.clock.uptime() >= pace.next
    if isDue, laidOut?.catalogued != nil { await clear(memory) }
    await layOut(memory, for: candidate.status.owner)
    guard isDue, let staged = take() else { return nil }
    reading = candidate.key
    return staged
  }

  func run(_ candidate: Candidate, _ staged: StagedList, _ claim: Claim) async {
    let start = parts.clock.uptime()
    laidOut = await read(candidate, staged, claim)
    let now = parts.clock.uptime()
    pace.took(now - start, until: now)
    reading = nil
    if laidOut == nil { await discard(staged, claim.memory) }
  }

  /// No file came for the prepared folder: discards it.
  func clear(_ memory: ClaimMemory) async {
    if let staged = take() { await discard(staged, memory) }
  }

  private func layOut(_ memory: ClaimMemory, for user: UInt32) async {
    guard laidOut == nil else { return }
    let list = memory.drawNumber()
    parts.rules.foresee(for: user)
    do throws(SystemError) {
      laidOut = try memory.layOut(list)
    } catch {
      memory.discard(ListFolder.staged(list))
      await memory.giveBack(list)
    }
  }

  private func discard(_ staged: StagedList, _ memory: ClaimMemory) async {
    memory.discard(ListFolder.staged(staged.list))
    await memory.giveBack(staged.list)
  }

  private func read(
    _ candidate: Candidate, _ staged: StagedList, _ claim: Claim
  ) async -> StagedList? {
    var staged = staged
    verdict = nil
    do {
      guard let bytes = try bytes(of: candidate, claim) else { return nil }
      var hash = SHA256()
      hash.add(bytes)
      let sum = FileCopy.Sum(size: UInt64(bytes.count), sha256: hash.digest().hex)
      guard claim.memory.died[sum.sha256] == nil,
        try parts.quarantine.deaths(sha256: sum.sha256) == 0
      else { return nil }
      try staged.copy.in.write(bytes, at: 0)
      guard await isList(candidate, staged, sum, claim) else { return nil }
      try await parts.groups.sync(staged.syncRead())
      staged.catalogued = sum
      return staged
    } catch { return nil }
  }

  /// Reads the file under a lease and drops the lease at once, so that no writer waits for our disk or a
  /// worker.
  private func bytes(
    of candidate: Candidate, _ claim: Claim
  ) throws(SystemError) -> [UInt8]? {
    let dropped: DroppedFile
    do throws(Attempt) { dropped = try claim.open(candidate, .lease) } catch { return nil }
    defer { dropped.release() }
    let bytes = try dropped.file.read(at: 0, upTo: Int(Self.longest))
    return bytes.count == Int(candidate.status.size) ? bytes : nil
  }

  private func isList(
    _ candidate: Candidate, _ staged: StagedList, _ sum: FileCopy.Sum, _ claim: Claim
  ) async -> Bool {
    do throws(Failure) {
      try await parts.readList(
        staged.copy.out, of: candidate.status.owner, into: staged.catalog, in: staged.folder)
      return true
    } catch {
      if error.isWorkerDeath {
        let reading = ListReading(memory: claim.memory)
        try? reading.count(error, of: sum.sha256, 1, staged.list, candidate.name)
      } else if error.kind == .final, error.code.hasPrefix("list.") {
        verdict = (sum, error)
      }
      return false
    }
  }
}
