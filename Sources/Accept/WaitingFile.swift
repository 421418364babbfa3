// SPDX-License-Identifier: Apache-2.0
// One candidate from first sight to its end: its phase, and when it is due.

package import Vocabulary

/// The kernel's answer about writers.
package enum Probe: Equatable, Sendable {
  case noWriter, writer, missing
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
  /// Not the file's fault: a stop, or trouble of this machine.
  var attempt: Attempt { kind == .cancelled ? .interrupted : .troubled(self) }
}

extension SystemError {
  var attempt: Attempt { machineFailure.attempt }
}

package struct WaitingFile: Equatable, Sendable {
  package enum Phase: Equatable, Sendable {
    /// Changed a moment ago. → busy
    case settling
    /// Being probed, tried or rejected. → any
    case busy
    /// A program has it open for writing. → busy
    case held(next: Duration, pause: Duration)
    /// No lease is available: complete once quiet. → busy
    case quiet
    /// Not a valid list, perhaps incomplete. → busy
    case doubtful(Failure)
    /// This machine is in trouble. → busy
    case troubled(Failure, next: Duration, pause: Duration)
    /// No list is let in now. → busy
    case queued(Failure)
    /// The daemon may not open it; every sweep tries again. → busy
    case unreadable(Failure)
    /// Rejected and still there, until the file changes.
    case leftBehind
  }

  package let candidate: Candidate
  /// Time since boot at which this status was first seen.
  package let since: Duration
  package var phase: Phase = .settling

  private static let writerPauses: (first: Duration, last: Duration) = (
    .milliseconds(250), .seconds(5)
  )
  /// Short, because no doorbell rings when there is room again.
  private static let troublePauses: (first: Duration, last: Duration) = (.seconds(1), .seconds(5))

  package init(_ candidate: Candidate, since: Duration) {
    self.candidate = candidate
    self.since = since
  }

  func isBefore(_ other: WaitingFile) -> Bool {
    since == other.since
      ? candidate.name.bytes.lexicographicallyPrecedes(other.candidate.name.bytes)
      : since < other.since
  }

  /// A writer's close usually rings the doorbell, but not always: the probe is repeated after growing pauses.
  mutating func hold(at now: Duration) {
    let pause =
      if case .held(_, let last) = before { min(last * 2, Self.writerPauses.last) } else {
        Self.writerPauses.first
      }
    phase = .held(next: now + pause, pause: pause)
    before = phase
  }

  mutating func suffer(_ failure: Failure, at now: Duration) {
    let pause =
      if case .troubled(_, _, let last) = before { min(last * 2, Self.troublePauses.last) } else {
        Self.troublePauses.first
      }
    phase = .troubled(failure, next: now + pause, pause: pause)
    before = phase
  }

  /// The last phase with a pause, so that the next pause can be longer.
  private var before: Phase = .settling

  func due(_ settings: InboxSettings, _ nature: InboxNature) -> Duration? {
    switch phase {
    case .settling: since + settings.dwell
    case .held(let next, _), .troubled(_, let next, _): next
    case .quiet: since + nature.acceptTime(settings)
    case .doubtful: since + nature.rejectTime(settings)
    case .busy, .queued, .unreadable, .leftBehind: nil
    }
  }

  func isDue(at now: Duration, _ settings: InboxSettings, _ nature: InboxNature) -> Bool {
    switch phase {
    case .held, .queued, .unreadable: now - since >= settings.dwell
    case .busy, .leftBehind: false
    case .settling, .quiet, .doubtful, .troubled: due(settings, nature).map { $0 <= now } ?? false
    }
  }

  var isQueued: Bool { if case .queued = phase { true } else { false } }
  var isUnreadable: Bool { if case .unreadable = phase { true } else { false } }

  /// The reason for the wait, in words.
  package var waitsFor: String {
    switch phase {
    case .settling: "it changed a moment ago"
    case .busy: "it is being read"
    case .held: "a program has it open for writing"
    case .quiet: "it must stay unchanged for a while, since no lease can prove it complete"
    case .queued(let failure): failure.reason
    case .doubtful(let failure): "it is not a valid list yet: \(failure.reason)"
    case .troubled(let failure, _, _): failure.reason
    case .unreadable(let failure): failure.reason
    case .leftBehind: "\(IgnoredReason.tooLarge)"
    }
  }
}
