// SPDX-License-Identifier: Apache-2.0
// Decides when to try a file, when to reject it and when to look again: accept fast, reject slowly. A value:
// sweeps, answers and times in, actions out; it reads no clock and touches no file. The age of a file counts
// from the time since boot at which its status was first seen; the file's own times are not trusted.

package import Vocabulary

package struct InboxState: Sendable {
  /// One name that a sweep found; without a status if the name or the kind alone decided.
  package struct Entry: Equatable, Sendable {
    package let key: Candidate.Key
    package let status: FileStatus?
    /// Why the entry is ignored.
    package let ignored: IgnoredReason?
    /// Of an ignored entry, if it is known.
    private(set) var owner: UInt32?
    /// The name of the list that pictures in the inbox itself become.
    private(set) var listName: FileName?
    /// Of a folder that this look went through: its own status, and the files in it.
    private(set) var top: FileStatus?
    private(set) var entries = 0
    /// Of pictures that this look went through.
    private(set) var finding: Probe?
    /// When the folder will be looked through, if that was due.
    private(set) var postponed: Duration?

    package init(_ key: Candidate.Key, _ status: FileStatus) {
      (self.key, self.status) = (key, status)
      ignored = IgnoredReason.judge(key.name, status.kind)
      owner = status.owner
    }

    package init(roll: Roll) {
      self.init(rollKey: roll.key, roll.status)
      if roll.key.place == .inbox { top = roll.folder } else { listName = roll.listName }
      (entries, finding) = (roll.entries, roll.finding)
    }

    init(rollKey key: Candidate.Key, _ status: FileStatus, postponed: Duration? = nil) {
      (self.key, self.status, ignored) = (key, status, nil)
      self.postponed = postponed
    }

    package init(_ key: Candidate.Key, ignored: IgnoredReason, owner: UInt32? = nil) {
      (self.key, status, self.ignored) = (key, nil, ignored)
      self.owner = owner
    }

    /// The file or folder of that name cannot be looked at.
    var isCovered: Bool { ignored == .unreachable }
  }

  package enum Action: Equatable, Sendable {
    /// Probe for writers; answer with `probed`.
    case probe(Candidate)
    /// Try to make a list of it; answer with `attempted`.
    case attempt(Candidate, Proof)
    /// Reject it for this reason; answer with `attempted`.
    case reject(Candidate, Failure, Proof)
    /// Reported once for each file.
    case ignore(FileName, IgnoredReason)
  }

  /// The users whose lists are not let in now.
  package enum Closure: Equatable, Sendable {
    case none, all
    case users(Set<UInt32>)

    func holds(_ candidate: Candidate) -> Bool {
      switch self {
      case .none: false
      case .all: true
      case .users(let users): users.contains(candidate.status.owner)
      }
    }
  }

  /// The limit on remembered ignored names; others are taken up when these go.
  package static let maximumIgnored = 1_000

  private let settings: InboxSettings
  private var places: WaitingPlaces
  /// The sweep that `beginWalks` begins uses it.
  var walks = RollWalks()
  private(set) var ignoredNames = IgnoredNames()
  private(set) var ignoredCount = 0
  /// Files that changed while they were busy.
  private var changed: Set<Candidate.Key> = []
  /// Some files wait until lists are let in again.
  private(set) var isQueued = false
  /// The users whose queued files are not probed now.
  package var closure = Closure.none
  /// Only a person ends their wait.
  package var isHeldForLong = false
  /// How the inbox's file system can prove that a file is complete.
  package var nature = InboxNature.usual

  package init(_ settings: InboxSettings) {
    self.settings = settings
    places = WaitingPlaces(settings.waiting)
  }

  var waiting: [Candidate.Key: WaitingFile] { places.files }
  /// Some of very many, of each user.
  var ignored: [FileName: IgnoredReason] { ignoredNames.reasons }

  /// Those whose files wait without a place, as the last sweep found them.
  package var crowd: Set<InboxCrowd> { places.crowd }

  /// Enough places are free again for a sweep.
  package var hasRoom: Bool { places.hasRoom }

  /// Takes a full sweep. Forgets missing files. A new file counts as first seen at `since`, the time of the
  /// event before the sweep.
  /// - Parameter passed: ignored names that are there, and about which the sweep tells no more.
  package mutating func swept(
    _ entries: [Entry], passed: [FileName] = [], since: Duration? = nil, at now: Duration
  ) -> [Action] {
    var actions: [Action] = []
    var seen: Set<Candidate.Key> = []
    ignoredCount = passed.count
    ignoredNames.begin()
    for name in passed { ignoredNames.pass(name) }
    for entry in entries {
      if let reason = entry.ignored {
        ignoredCount += 1
        if ignoredNames.note(entry.key.name, reason, of: entry.owner) {
          actions.append(.ignore(entry.key.name, reason))
        }
      } else {
        seen.insert(entry.key)
      }
    }
    places.sweep { seen.contains($0.candidate.key) || $0.isBusy }
    for entry in entries where entry.ignored == nil {
      guard let status = entry.status else { continue }
      note(Candidate(key: entry.key, status: status), at: since ?? now)
      places[entry.key]?.listName = entry.listName
      settle(entry, at: now)
    }
    ignoredNames.end()
    return actions + due(at: now)
  }

  /// Files that were rejected, and folders without pictures, do not wait.
  package var counts: InboxCounts {
    waiting.values.reduce(into: InboxCounts()) { counts, file in
      switch file.phase {
      case .leftBehind, .withoutPictures: break
      case .unreadable:
        (counts.waiting, counts.unreadable) = (counts.waiting + 1, counts.unreadable + 1)
      default: counts.waiting += 1
      }
    }
  }

  /// The first file in order that is still too young to be tried.
  package var nextSettled: Candidate? {
    waiting.values.lazy.filter { $0.phase == .settling && !$0.candidate.isRoll }
      .min { $0.isBefore($1) }?.candidate
  }

  /// A sweep begins: which folders of pictures it need not look through.
  /// - Parameter rung: folders whose watch rang since the last sweep.
  mutating func beginWalks(rung: Set<FileName> = [], at now: Duration) {
    let rolls = waiting.filter { $0.value.candidate.isRoll && !$0.value.candidate.isLoose }
    walks.begin(rolls.mapValues { $0.known(isDue: isDue($0, at: now), at: now) }, at: now)
    walks.ring(rung)
  }

  /// False if the file is a folder, and the budget of its owner is spent.
  mutating func admitsWalk(of key: Candidate.Key, at now: Duration) -> Bool {
    guard let file = waiting[key], file.candidate.isRoll, !file.candidate.isLoose,
      let next = walks.next(for: file.candidate.status.owner, at: now)
    else { return true }
    places[key]?.postpone(until: next)
    return false
  }

  /// A look at one file went through its folder.
  mutating func walked(_ entry: Entry, at now: Duration) {
    guard let top = entry.top else { return }
    walks.pay(entry.entries, for: entry.key, of: top.owner, at: now)
  }

  private mutating func settle(_ entry: Entry, at now: Duration) {
    if let finding = entry.finding { places[entry.key]?.finding = finding }
    if let top = entry.top { places[entry.key]?.walked(top, at: now) }
    if let next = entry.postponed { places[entry.key]?.postpone(until: next) }
  }

  /// The finding of the present look at these pictures, once.
  mutating func takeFinding(_ key: Candidate.Key) -> Probe? {
    defer { places[key]?.finding = nil }
    return waiting[key]?.finding
  }

  /// The due files, for a look at each when only time has passed; the folder that was looked through the longest ago
  /// comes first.
  package func dueKeys(at now: Duration) -> [Candidate.Key] {
    waiting.values.filter { isDue($0, at: now) }
      .map { (key: $0.candidate.key, since: $0.walkedAt ?? $0.first) }
      .sorted { $0.since < $1.since }.map(\.key)
  }

  private func isDue(_ file: WaitingFile, at now: Duration) -> Bool {
    !isHeld(file) && file.isDue(at: now, settings, nature)
  }

  private func isHeld(_ file: WaitingFile) -> Bool {
    file.isQueued && closure.holds(file.candidate)
  }

  /// The users with queued files.
  var queuedUsers: Set<UInt32> {
    Set(waiting.values.lazy.filter(\.isQueued).map(\.candidate.status.owner))
  }

  /// Takes a look at the due files; a nil entry means that the file is gone.
  package mutating func glanced(
    _ files: [(key: Candidate.Key, entry: Entry?)], at now: Duration
  ) -> [Action] {
    for (key, entry) in files {
      guard let entry, let status = entry.status else {
        places[key] = nil
        continue
      }
      note(Candidate(key: key, status: status), at: now)
      settle(entry, at: now)
    }
    return due(at: now)
  }

  /// Files that wait for this machine are due.
  package mutating func relieve(at now: Duration) {
    for key in waiting.keys { places[key]?.relieve(at: now) }
  }

  /// Queues a file because no list is let in now.
  package mutating func queued(_ key: Candidate.Key, _ failure: Failure) {
    places[key]?.phase = .queued(failure)
    isQueued = true
  }

  /// Takes the result of a probe.
  package mutating func probed(_ key: Candidate.Key, _ probe: Probe, at now: Duration) -> [Action] {
    guard var file = places[key] else { return [] }
    var actions: [Action] = []
    switch probe {
    case .noWriter where !nature.isShared: actions = [.attempt(file.candidate, .lease)]
    case .writer: file.hold(at: now)
    case .noWriter, .unknown:
      if file.isQuiet(at: now, settings, nature) {
        actions = [.attempt(file.candidate, .quiet)]
      } else {
        file.phase = .quiet
      }
    case .noPictures:
      // The pictures may still come.
      file.phase = .quiet
      if file.isQuiet(at: now, settings, nature) {
        file.empty()
        places[key] = file
        return [.ignore(key.name, .noPictures)]
      }
    case .unreadable(let failure): file.forbid(failure, at: now)
    case .troubled(let failure): file.suffer(failure, at: now)
    case .missing:
      places[key] = nil
      return []
    }
    if !actions.isEmpty { file.phase = .ready }
    places[key] = file
    return actions
  }

  /// The turn of a file has come.
  mutating func began(_ key: Candidate.Key) {
    if waiting[key]?.phase == .ready { places[key]?.phase = .busy }
  }

  /// Takes the result of an attempt or a rejection.
  package mutating func attempted(
    _ key: Candidate.Key, _ attempt: Attempt, at now: Duration
  ) -> [Action] {
    guard var file = places[key] else { return [] }
    switch attempt {
    case .accepted, .repeated, .finished, .rejected, .missing:
      places[key] = nil
      return []
    case .leftBehind: file.phase = .leftBehind
    case .changed: file = WaitingFile(file.candidate, since: now)
    case .interrupted: file.phase = .settling
    case .writer: file.hold(at: now)
    case .late: file.fallBehind(at: now)
    case .covered: file.cover(at: now)
    case .unreadable(let failure):
      file.phase = .unreadable(failure)
      file.rest(at: now)
    case .full(let failure):
      file.phase = .queued(failure)
      file.rest(at: now)
      isQueued = true
    case .troubled(let failure): file.suffer(failure, at: now)
    case .refused(let failure, let proof):
      if now - file.since >= nature.rejectTime(settings) {
        file.phase = .ready
        places[key] = file
        return [.reject(file.candidate, failure, proof)]
      }
      file.phase = .doubtful(failure)
    }
    places[key] = file
    return []
  }

  /// True, once, if the file changed while it was busy.
  package mutating func hasChanged(_ key: Candidate.Key) -> Bool { changed.remove(key) != nil }

  /// The time until the next look is due; nil if only the doorbell can bring news.
  package func nextLook(at now: Duration) -> Duration? {
    var first: Duration?
    // A held file is not looked at before the inbox has asked whether lists are let in.
    for file in waiting.values where !isHeld(file) {
      if let due = file.due(settings, nature) { first = min(first ?? due, due) }
    }
    let ask =
      now + (isHeldForLong ? InboxSettings.longQueueInterval : InboxSettings.queueInterval)
    if isQueued { first = min(first ?? ask, ask) }
    return first.map { max(.zero, $0 - now) }
  }

  private mutating func note(_ candidate: Candidate, at now: Duration) {
    let known = places[candidate.key]
    if let known {
      if known.candidate.status == candidate.status { return }
      if known.isBusy {
        changed.insert(candidate.key)
        return
      }
    } else if !places.admits(candidate.status.owner) {
      return
    }
    let first = known.flatMap { $0.phase == .withoutPictures ? nil : $0.first }
    var file = WaitingFile(candidate, since: now, first: first ?? now)
    if let known { file.inherit(from: known) }
    places[candidate.key] = file
  }

  /// Oldest first, then by name, so that the order is reproducible.
  private mutating func due(at now: Duration) -> [Action] {
    isQueued = waiting.values.contains(where: isHeld)
    let due = waiting.values.filter { isDue($0, at: now) }.sorted { $0.isBefore($1) }
    for file in due { places[file.candidate.key]?.phase = .busy }
    return due.map { .probe($0.candidate) }
  }
}
