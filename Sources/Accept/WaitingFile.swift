// SPDX-License-Identifier: Apache-2.0
// One candidate from first sight to its end: its phase, and when it is due.

internal import Files
package import Vocabulary

/// The kernel's answer about writers.
package enum Probe: Equatable, Sendable {
  case noWriter, writer, missing
  /// A folder without pictures.
  case noPictures
  /// No lease is available.
  case unknown
  /// The daemon may not open it.
  case unreadable(Failure)
  case troubled(Failure)
}

/// Why the bytes are believed to be the complete file.
package enum Proof: Equatable, Sendable { case lease, quiet }

/// The result of an attempt to accept or to reject a candidate.
package enum Attempt: Error, Equatable {
  case accepted(ListID)
  /// It repeats a list in progress and has left the inbox.
  case repeated(ListID)
  /// It was accepted earlier and has now left the inbox.
  case finished(ListID)
  case rejected(ListID)
  /// Recorded as rejected, but it stays in the inbox.
  case leftBehind(ListID)
  /// Another file has the name, or the contents have changed.
  case changed
  case missing
  case writer
  /// Something is mounted over it.
  case covered
  /// Another list of its name was faster, or is being removed.
  case late
  case unreadable(Failure)
  /// The contents are not a list.
  case refused(Failure, Proof)
  /// No more lists are let in now.
  case full(Failure)
  /// This machine is in trouble; the file is not to blame.
  case troubled(Failure)
  /// The daemon is stopping.
  case interrupted
}

extension Failure {
  /// A mount over the file itself: the kernel refuses to rename a file under a mount. Its contents may be a list already.
  static let covered = Failure(
    .final, code: "list.covered",
    reason: "something is mounted over it", advice: "Unmount that, so that it can leave the inbox")

  static let coveredPicture = Failure(
    .final, code: covered.code, reason: "something is mounted over one of them",
    advice: covered.advice)

  /// Not the file's fault: a stop, another list of its owner that was faster, or trouble of this machine.
  var attempt: Attempt {
    if isLate { return .late }
    if self == .covered { return .covered }
    return kind == .cancelled ? .interrupted : .troubled(self)
  }
}

extension SystemError {
  /// For the daemon's own files and folders.
  var attempt: Attempt { machineFailure.attempt }

  /// For the files and folders of a user, who can make a call fail at any time: by a mode, a lease, a mount, a rename.
  /// That concerns the user alone. Only what no user has a hand in is trouble of this machine, which everyone is told
  /// about.
  /// - Parameter closed: what the user is told about an error that does not pass by itself.
  func attempt(closed: (SystemError) -> Failure) -> Attempt {
    if isBeyondUsers { return attempt }
    return switch name {
    case .missing: .missing
    // A lease of another process, which delays this one.
    case .again: .writer
    case .noDevice, .notFolder, .isFolder, .isLink: .changed
    default: .unreadable(closed(self))
    }
  }

  /// No user has a hand in it.
  var isBeyondUsers: Bool { isMachineTrouble || isCancelled }
}

extension Folder {
  /// Nil as well if a user has mounted something there, which the daemon may not look at.
  func statusUnlessCovered(_ name: FileName) throws(SystemError) -> FileStatus? {
    if isOtherFileSystem(name) { return nil }
    do throws(SystemError) { return try status(ifThere: name) } catch {
      if error.isBeyondUsers { throw error }
      return nil
    }
  }
}

extension Probe {
  /// The result for the file of an attempt that ended before its first step.
  init(_ attempt: Attempt) {
    self =
      switch attempt {
      case .writer: .writer
      case .unreadable(let failure): .unreadable(failure)
      case .troubled(let failure): .troubled(failure)
      default: .missing
      }
  }
}

/// For the daemon's own files and folders: raises the kernel's error as trouble of this machine, or as a stop.
func asAttempt<Value>(_ act: () throws(SystemError) -> Value) throws(Attempt) -> Value {
  do throws(SystemError) { return try act() } catch { throw error.attempt }
}

/// The same for the files and folders of a user.
func asUsers<Value>(
  closed: (SystemError) -> Failure, _ act: () throws(SystemError) -> Value
) throws(Attempt) -> Value {
  do throws(SystemError) { return try act() } catch { throw error.attempt(closed: closed) }
}

package struct WaitingFile: Equatable, Sendable {
  package enum Phase: Equatable, Sendable {
    /// Changed a moment ago. → busy
    case settling
    /// Its try or its rejection waits for its turn. → busy
    case ready
    /// Being probed, tried or rejected. → any
    case busy
    /// A program has it open for writing. → busy
    case held(next: Duration, pause: Backoff)
    /// Another list of its name was faster, or is being removed. → busy
    case late(next: Duration, pause: Backoff)
    /// Something is mounted over it: it is tried again after pauses that grow, because each try reads it. → busy
    case covered
    /// No lease is available: complete once quiet. → busy
    case quiet
    /// Not a valid list, perhaps incomplete. → busy
    case doubtful(Failure)
    /// A folder that is not looked through yet, because the budget of its owner is spent. → busy
    case postponed(next: Duration)
    /// This machine is in trouble. → busy
    case troubled(Failure, next: Duration, pause: Backoff)
    /// No list is let in now. → busy
    case queued(Failure)
    /// The daemon may not open it, or another user may have given it its name; sweeps try again, after pauses that
    /// grow. → busy
    case unreadable(Failure)
    /// Rejected and still there, until the file changes.
    case leftBehind
    /// A quiet folder without pictures, until it changes.
    case withoutPictures
  }

  package let candidate: Candidate
  /// Time since boot at which this status was first seen.
  package let since: Duration
  /// The same of the candidate with any status.
  package let first: Duration
  package var phase: Phase = .settling
  /// Of the list that pictures in the inbox itself become, as the last sweep saw them.
  var listName: FileName?
  /// Of a folder of pictures, as it was last looked through: its own status, and when.
  private(set) var top: FileStatus?
  private(set) var walkedAt: Duration?
  /// Of pictures: the finding of the last look, so that a probe need not look again.
  var finding: Probe?
  /// The candidate is not tried again before, because a try of pictures looks at all of them, and the tries of very
  /// many unreadable files cost as much.
  private(set) var restsUntil = Duration.zero
  private var rest = Backoff(.seconds(5), to: .seconds(300))

  /// Pictures in the inbox itself become a list after this many times of quiet, even if more keep coming.
  private static let patience = 10

  private static let writerPauses = Backoff(.milliseconds(250), to: .seconds(5))
  /// Short, because no doorbell rings when there is room again.
  private static let troublePauses = Backoff(.seconds(1), to: .seconds(5))
  /// Each try opens all pictures of the roll.
  private static let rollTroublePauses = Backoff(.seconds(1), to: .seconds(60))

  package init(_ candidate: Candidate, since: Duration, first: Duration? = nil) {
    self.candidate = candidate
    self.since = since
    self.first = first ?? since
  }

  func isBefore(_ other: WaitingFile) -> Bool {
    since == other.since
      ? candidate.name.bytes.lexicographicallyPrecedes(other.candidate.name.bytes)
      : since < other.since
  }

  /// A folder was looked through. Its owner, who changes the folder itself, may just have given the daemon its rights.
  mutating func walked(_ top: FileStatus, at now: Duration) {
    if let before = self.top, before != top {
      rest.reset()
      restsUntil = .zero
    }
    (self.top, walkedAt) = (top, now)
    if phase == .withoutPictures { empty() }
  }

  /// A folder without pictures. It is due only if a look at it was postponed.
  mutating func empty() { (phase, restsUntil) = (.withoutPictures, .zero) }

  /// Another status of the same name.
  mutating func inherit(from file: WaitingFile) { (top, walkedAt) = (file.top, file.walkedAt) }

  /// A folder that is due is not looked through now.
  mutating func postpone(until next: Duration) {
    switch phase {
    case .ready, .busy, .leftBehind: break
    case .unreadable, .covered, .withoutPictures: restsUntil = max(restsUntil, next)
    case .settling, .held, .late, .quiet, .doubtful, .postponed, .troubled, .queued:
      phase = .postponed(next: next)
    }
  }

  /// A sweep decides by this whether to look through the folder.
  func known(isDue: Bool, at now: Duration) -> RollWalks.Known {
    let isEmpty = phase == .withoutPictures
    let since = walkedAt ?? first
    return RollWalks.Known(
      status: candidate.status, top: top, since: since,
      isDue: isDue || isEmpty && now - since >= RollWalks.interval,
      rests: isEmpty || !isBusy && now < restsUntil)
  }

  /// A writer's close usually rings the doorbell, but not always: the probe is repeated after growing pauses.
  mutating func hold(at now: Duration) {
    var pause = if case .held(_, let pause) = before { pause } else { Self.writerPauses }
    phase = .held(next: now + pause.take(), pause: pause)
    before = phase
  }

  /// Each try reads the whole list, and a removal may take a while.
  mutating func fallBehind(at now: Duration) {
    var pause = if case .late(_, let pause) = before { pause } else { Self.writerPauses }
    phase = .late(next: now + pause.take(), pause: pause)
    before = phase
  }

  mutating func suffer(_ failure: Failure, at now: Duration) {
    let first = candidate.isRoll ? Self.rollTroublePauses : Self.troublePauses
    var pause = if case .troubled(_, _, let pause) = before { pause } else { first }
    phase = .troubled(failure, next: now + pause.take(), pause: pause)
    before = phase
  }

  mutating func relieve(at now: Duration) {
    guard case .troubled(let failure, _, let pause) = phase else { return }
    phase = .troubled(failure, next: now, pause: pause)
  }

  /// After a try that failed because of something that a sweep does not see.
  mutating func rest(at now: Duration) { if candidate.isRoll { growRest(at: now) } }

  /// The daemon may not open it. With another mode it is another candidate, which is tried at once. Of a folder only
  /// its own mode tells.
  mutating func forbid(_ failure: Failure, at now: Duration) {
    phase = .unreadable(failure)
    growRest(at: now)
  }

  /// An unmount rings no bell of the inbox.
  mutating func cover(at now: Duration) {
    phase = .covered
    growRest(at: now)
  }

  private mutating func growRest(at now: Duration) { restsUntil = now + rest.take() }

  /// The last phase with a pause, so that the next pause can be longer.
  private var before: Phase = .settling

  func due(_ settings: InboxSettings, _ nature: InboxNature) -> Duration? {
    switch phase {
    case .queued where candidate.isRoll, .unreadable where candidate.isRoll, .withoutPictures:
      restsUntil > .zero ? restsUntil : nil
    case .settling: since + settings.dwell
    case .held(let next, _), .late(let next, _), .troubled(_, let next, _), .postponed(let next):
      next
    case .quiet: quietTime(settings, nature)
    case .doubtful: since + nature.rejectTime(settings)
    case .covered: restsUntil
    case .ready, .busy, .queued, .unreadable, .leftBehind: nil
    }
  }

  /// When the candidate has been unchanged for long enough to be tried without the proof of a lease.
  private func quietTime(_ settings: InboxSettings, _ nature: InboxNature) -> Duration {
    let quiet = nature.acceptTime(settings)
    guard candidate.isLoose, nature.hasLeases, !nature.isShared else { return since + quiet }
    return min(since + quiet, first + quiet * Self.patience)
  }

  func isQuiet(at now: Duration, _ settings: InboxSettings, _ nature: InboxNature) -> Bool {
    now >= quietTime(settings, nature)
  }

  func isDue(at now: Duration, _ settings: InboxSettings, _ nature: InboxNature) -> Bool {
    if now < restsUntil { return false }
    return switch phase {
    case .held(let next, _) where candidate.isRoll: next <= now
    case .held, .queued, .unreadable: now - since >= settings.dwell
    case .ready, .busy, .leftBehind: false
    case .settling, .late, .covered, .quiet, .doubtful, .troubled, .postponed, .withoutPictures:
      due(settings, nature).map { $0 <= now } ?? false
    }
  }

  /// A claim has it, or will have it.
  var isBusy: Bool { phase == .busy || phase == .ready }
  var isQueued: Bool { if case .queued = phase { true } else { false } }
  /// A person has to act, or the lists of the user have to reach their age.
  var needsPerson: Bool {
    switch phase {
    case .unreadable, .covered: true
    case .queued(let failure): failure.kind == .final
    case .settling, .ready, .busy, .held, .late, .quiet, .doubtful, .postponed, .troubled,
      .leftBehind, .withoutPictures:
      false
    }
  }

  package var waitsFor: OwnersReason {
    OwnersReason(reason, of: candidate.status.owner, others: openReason)
  }

  /// Failures quote the file, or name what is in it.
  private var openReason: String {
    switch phase {
    case .queued: "no list is let in now"
    case .doubtful: "it is not a valid list yet"
    case .troubled: "this machine is in trouble"
    case .unreadable: "the daemon cannot take it"
    case .settling, .ready, .busy, .held, .late, .covered, .quiet, .postponed, .leftBehind,
      .withoutPictures:
      reason
    }
  }

  /// The reason for the wait, in words.
  private var reason: String {
    switch phase {
    case .settling: "it changed a moment ago"
    case .ready where candidate.isRoll: "other pictures are copied first"
    case .ready: "other lists are read first"
    case .busy where candidate.isRoll: "it is being copied"
    case .busy: "it is being read"
    case .held: "a program has it open for writing"
    case .late: "another list of its name was accepted or removed at the same time"
    case .covered: Failure.covered.words
    case .postponed:
      "the daemon looks at about \(RollWalks.limit) files of a user's folders in a minute, "
        + "and at these later"
    case .quiet where candidate.isRoll: "it waits until nothing has been added for a while"
    case .quiet: "it must stay unchanged for a while, since no lease can prove it complete"
    case .queued(let failure): failure.kind == .final ? failure.words : failure.reason
    case .doubtful(let failure): "it is not a valid list yet: \(failure.reason)"
    case .troubled(let failure, _, _): failure.reason
    case .unreadable(let failure): failure.words
    case .leftBehind: "\(IgnoredReason.tooLarge)"
    case .withoutPictures: "\(IgnoredReason.noPictures)"
    }
  }
}
