// SPDX-License-Identifier: Apache-2.0
// Decides when a file in the inbox is tried, when it is rejected and when to look again: accept fast,
// reject slow. A value: sweeps, answers and times in, actions out; no clock, no file is touched here.
// Time is the time since boot at which a status was first seen, so no file's own times are believed.

package import Vocabulary

package struct InboxState: Sendable {
  /// One name that a sweep found; without a status where the name or the kind alone decided.
  package struct Entry: Equatable, Sendable {
    package let key: Candidate.Key
    package let status: FileStatus?
    /// Why it is left alone.
    package let ignored: IgnoredReason?

    package init(_ key: Candidate.Key, _ status: FileStatus?, _ ignored: IgnoredReason?) {
      self.key = key
      self.status = status
      self.ignored = ignored
    }

    package init(_ key: Candidate.Key, _ status: FileStatus?) {
      let kind = status.flatMap { IgnoredReason.judge($0.kind) }
      self.init(key, status, IgnoredReason.judge(key.name) ?? kind)
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
  /// Files wait for lists to be let in again.
  private(set) var isQueued = false
  /// No list is let in now, so nobody asks about those that wait for that.
  package var isClosed = false
  /// How it can be known that a file is whole.
  package var nature = InboxNature.usual

  package init(_ settings: InboxSettings) { self.settings = settings }

  /// A whole look at the inbox. What is not in it is forgotten; what is new was first seen a little
  /// earlier, where it rang before the look.
  package mutating func swept(
    _ entries: [Entry], since: Duration? = nil, at now: Duration
  ) -> [Action] {
    var actions: [Action] = []
    var seen: Set<Candidate.Key> = []
    // Of those that are remembered alone: of very many, most are only counted.
    var left: Set<FileName> = []
    isFull = false
    ignoredCount = 0
    for entry in entries {
      if let reason = entry.ignored {
        ignoredCount += 1
        if let known = ignored[entry.key.name] {
          left.insert(entry.key.name)
          if known == reason { continue }
        } else if ignored.count >= Self.maximumIgnored {
          continue
        }
        left.insert(entry.key.name)
        ignored[entry.key.name] = reason
        actions.append(.ignore(entry.key.name, reason))
      } else if let status = entry.status {
        seen.insert(entry.key)
        note(Candidate(key: entry.key, status: status), at: since ?? now)
      }
    }
    waiting = waiting.filter { seen.contains($0.key) }
    if left.count < ignored.count { ignored = ignored.filter { left.contains($0.key) } }
    return actions + due(at: now)
  }

  /// What is too young to be tried, and will be tried before the others.
  package var nextSettled: Candidate? {
    waiting.values.lazy.filter { $0.phase == .settling }.min { $0.isBefore($1) }?.candidate
  }

  /// Those whose time has come, to be looked at one by one where nothing else has happened.
  package func dueKeys(at now: Duration) -> [Candidate.Key] {
    waiting.filter { isDue($0.value, at: now) }.map(\.key)
  }

  private func isDue(_ file: WaitingFile, at now: Duration) -> Bool {
    !(isClosed && file.isQueued) && file.isDue(at: now, settings, nature)
  }

  /// A look at single files, those that are due; nil for what is gone.
  package mutating func glanced(
    _ files: [(key: Candidate.Key, status: FileStatus?)], at now: Duration
  ) -> [Action] {
    for (key, status) in files {
      guard let status else {
        waiting[key] = nil
        continue
      }
      note(Candidate(key: key, status: status), at: now)
    }
    return due(at: now)
  }

  /// No list is let in now: the file stays as it is.
  package mutating func queued(_ key: Candidate.Key, _ failure: Failure) {
    waiting[key]?.phase = .queued(failure)
    isQueued = true
  }

  /// What the lease said.
  package mutating func probed(_ key: Candidate.Key, _ probe: Probe, at now: Duration) -> [Action] {
    guard var file = waiting[key] else { return [] }
    var actions: [Action] = []
    switch probe {
    case .noWriter where !nature.isShared: actions = [.attempt(file.candidate, .lease)]
    case .writer: file.hold(at: now)
    case .noWriter, .unsupported, .notPermitted:
      if now - file.since >= nature.acceptTime(settings) {
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
    case .full(let failure):
      file.phase = .queued(failure)
      isQueued = true
    case .troubled(let failure): file.suffer(failure, at: now)
    case .refused(let failure, let proof):
      if now - file.since >= nature.rejectTime(settings) {
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
    var first: Duration?
    for file in waiting.values {
      if let due = file.due(settings, nature) { first = min(first ?? due, due) }
    }
    let ask = now + InboxSettings.queueInterval
    if isQueued { first = min(first ?? ask, ask) }
    guard let first else { return isFull ? settings.dwell : nil }
    return max(.zero, first - now)
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
    isQueued = waiting.values.contains { isClosed && $0.isQueued }
    let due = waiting.values.filter { isDue($0, at: now) }.sorted { $0.isBefore($1) }
    for file in due { waiting[file.candidate.key]?.phase = .busy }
    return due.map { .probe($0.candidate) }
  }
}
