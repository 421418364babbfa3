// SPDX-License-Identifier: Apache-2.0
// What can be done while a file is still too young to be tried: the next list's folder is made, and a
// worker reads a copy of the file. That is most of what taking a list in waits for. Nothing is believed
// of it: when the file is tried, its bytes must be those of the copy, else the work is done anew, in other
// files: no worker ever has a descriptor of what another one's list lies in. Nothing is told but the death
// of a worker; where anything fails, nothing is there.

internal import Digests
internal import Linux
internal import Vocabulary

/// How often files are read that may not be tried yet: less and less while nobody comes for them.
struct AheadPace {
  /// No file is read ahead sooner.
  private(set) var next = Duration.zero
  private var pause: Duration
  private let first: Duration
  private static let longest: Duration = .seconds(5)

  init(_ settings: InboxSettings) {
    first = settings.dwell
    pause = first
  }

  /// Reading takes no more than half of the time, whatever it costs.
  mutating func took(_ time: Duration, until now: Duration) {
    next = now + max(pause, time)
    pause = min(pause * 2, Self.longest)
  }

  mutating func paid() { pause = first }
}

extension Claim {
  /// Longer files are read when they are tried: whoever waits for those does not count milliseconds.
  private static let longestAhead: UInt64 = 256 << 10

  func prepare(for candidate: Candidate) {
    let longest = min(Self.longestAhead, settings.maximumListSize)
    let isDue =
      candidate.key.place == .inbox && candidate.status.size > 0 && candidate.status.size <= longest
      && clock.uptime() >= pace.next
    if isDue, laidOut?.catalogued != nil { clearLayout() }
    layOut()
    guard isDue, let staged = laidOut else { return }
    laidOut = nil
    let start = clock.uptime()
    laidOut = readAhead(candidate, staged)
    let now = clock.uptime()
    pace.took(now - start, until: now)
    if laidOut == nil { try? lists.removeFlat(ListFolder.staged(staged.list)) }
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

  private func readAhead(_ candidate: Candidate, _ staged: StagedList) -> StagedList? {
    var staged = staged
    verdict = nil
    do throws(SystemError) {
      guard let bytes = try bytes(of: candidate) else { return nil }
      var hash = SHA256()
      hash.add(bytes)
      let sum = FileCopy.Sum(size: UInt64(bytes.count), sha256: hash.digest().hex)
      guard died[sum.sha256] == nil, try quarantine.deaths(sha256: sum.sha256) == 0 else {
        return nil
      }
      try staged.copy.in.write(bytes, at: 0)
      guard isList(candidate, staged, sum) else { return nil }
      try staged.sync([staged.copy.in, staged.catalog])
      staged.catalogued = sum
      return staged
    } catch { return nil }
  }

  /// The lease is let go as soon as they are in memory, so that no writer waits for our disk or a worker.
  private func bytes(of candidate: Candidate) throws(SystemError) -> [UInt8]? {
    let original: Original
    do throws(Attempt) { original = try open(candidate, .lease) } catch { return nil }
    defer { original.release() }
    let bytes = try original.file.read(at: 0, upTo: Int(Self.longestAhead))
    return bytes.count == Int(candidate.status.size) ? bytes : nil
  }

  private func isList(
    _ candidate: Candidate, _ staged: StagedList, _ sum: FileCopy.Sum
  ) -> Bool {
    do throws(Failure) {
      try catalogue(staged.copy.out, in: staged.catalog)
      return true
    } catch {
      if error.isWorkerDeath {
        try? count(error, of: sum.sha256, 1, staged.list, candidate.name)
      } else if error.kind == .final, error.code.hasPrefix("list.") {
        verdict = (sum, error)
      }
      return false
    }
  }
}
