// SPDX-License-Identifier: Apache-2.0
// Decides when a file in the inbox is tried, when it is rejected and when to look again: accept fast,
// reject slow. A value: sweeps, answers and times in, actions out; no clock, no file is touched here.
// Time is the time since boot at which a status was first seen, so no file's own times are believed.

package import Vocabulary

package struct InboxState: Sendable {
  /// One name that a sweep found; without a status where the name alone decided.
  package struct Entry: Equatable, Sendable {
    package let key: Candidate.Key
    package let status: FileStatus?

    package init(_ key: Candidate.Key, _ status: FileStatus?) {
      self.key = key
      self.status = status
    }
  }

  package enum Action: Equatable, Sendable {
    /// Ask the kernel whether somebody still writes; answer with `probed`.
    case probe(Candidate)
    /// Try to make a list of it; answer with `attempted`.
    case attempt(Candidate, Proof)
    /// Turn it away for this reason; answer with `attempted`.
    case reject(Candidate, Failure, Proof)
    /// Said once for each file.
    case ignore(FileName, IgnoredReason)
  }

  /// Known candidates and remembered ignored names are bounded; more come up as these go.
  package static let maximumWaiting = 100_000
  package static let maximumIgnored = 1_000

  private let settings: InboxSettings
  private(set) var waiting: [Candidate.Key: WaitingFile] = [:]
  private(set) var ignored: [FileName: IgnoredReason] = [:]
  private(set) var ignoredCount = 0
  private(set) var isFull = false

  package init(_ settings: InboxSettings) { self.settings = settings }

  /// A whole look at the inbox. What is not in it is forgotten.
  package mutating func swept(_ entries: [Entry], at now: Duration) -> [Action] {
    var actions: [Action] = []
    var seen: Set<Candidate.Key> = []
    var left: Set<FileName> = []
    isFull = false
    for entry in entries {
      if let reason = Self.ignoring(entry) {
        left.insert(entry.key.name)
        if ignored[entry.key.name] != reason, ignored.count < Self.maximumIgnored {
          ignored[entry.key.name] = reason
          actions.append(.ignore(entry.key.name, reason))
        }
      } else if let status = entry.status {
        seen.insert(entry.key)
        note(Candidate(key: entry.key, status: status), at: now)
      }
    }
    waiting = waiting.filter { seen.contains($0.key) }
    ignoredCount = left.count
    ignored = ignored.filter { left.contains($0.key) }
    return actions + due(at: now)
  }

  /// What the lease said.
  package mutating func probed(_ key: Candidate.Key, _ probe: Probe, at now: Duration) -> [Action] {
    guard var file = waiting[key] else { return [] }
    var actions: [Action] = []
    switch probe {
    case .noWriter: actions = [.attempt(file.candidate, .lease)]
    case .writer: file.hold(at: now)
    case .unsupported, .notPermitted:
      if now - file.since >= settings.quietTime {
        actions = [.attempt(file.candidate, .quiet)]
      } else {
        file.phase = .quiet
      }
    case .unreadable(let failure): file.phase = .unreadable(failure)
    case .troubled(let failure): file.suffer(failure, at: now)
    case .missing:
      waiting[key] = nil
      return []
    }
    if !actions.isEmpty { file.phase = .busy }
    waiting[key] = file
    return actions
  }

  /// What came of an attempt or a rejection.
  package mutating func attempted(
    _ key: Candidate.Key, _ attempt: Attempt, at now: Duration
  ) -> [Action] {
    guard var file = waiting[key] else { return [] }
    switch attempt {
    case .accepted, .repeated, .finished, .rejected, .missing:
      waiting[key] = nil
      return []
    case .leftBehind: file.phase = .leftBehind
    case .changed: file = WaitingFile(file.candidate, since: now)
    case .interrupted: file.phase = .settling
    case .writer: file.hold(at: now)
    case .unreadable(let failure): file.phase = .unreadable(failure)
    case .troubled(let failure): file.suffer(failure, at: now)
    case .refused(let failure, let proof):
      if now - file.since >= settings.quietTime {
        file.phase = .busy
        waiting[key] = file
        return [.reject(file.candidate, failure, proof)]
      }
      file.phase = .doubtful(failure)
    }
    waiting[key] = file
    return []
  }

  /// How long from now the next look is due by itself; nil where only the doorbell can bring news.
  package func nextLook(at now: Duration) -> Duration? {
    let times = waiting.values.compactMap { $0.due(settings) }
    guard let first = times.min() else { return isFull ? settings.dwell : nil }
    return max(.zero, first - now)
  }

  private static func ignoring(_ entry: Entry) -> IgnoredReason? {
    IgnoredReason.judge(entry.key.name) ?? entry.status.flatMap { IgnoredReason.judge($0.kind) }
  }

  private mutating func note(_ candidate: Candidate, at now: Duration) {
    if let known = waiting[candidate.key] {
      if known.candidate.status == candidate.status { return }
    } else if waiting.count >= Self.maximumWaiting {
      isFull = true
      return
    }
    waiting[candidate.key] = WaitingFile(candidate, since: now)
  }

  /// Oldest first, then by name, so that the same sight gives the same order.
  private mutating func due(at now: Duration) -> [Action] {
    let due = waiting.values.filter { $0.isDue(at: now, settings) }.sorted { a, b in
      a.since == b.since
        ? a.candidate.name.bytes.lexicographicallyPrecedes(b.candidate.name.bytes)
        : a.since < b.since
    }
    for file in due { waiting[file.candidate.key]?.phase = .busy }
    return due.map { .probe($0.candidate) }
  }
}
