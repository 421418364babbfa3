// SPDX-License-Identifier: Apache-2.0
// One candidate between its first sight and its end: what it waits for, and until when.

package import Vocabulary

/// What the kernel said about writers.
package enum Probe: Equatable, Sendable {
  case noWriter, writer, unsupported, notPermitted, missing
  /// We may not open it.
  case unreadable(Failure)
  case troubled(Failure)
}

/// Why the bytes that are read are believed to be one whole list.
package enum Proof: Equatable, Sendable { case lease, quiet }

/// What came of trying to make a list of a candidate, or of turning it away.
package enum Attempt: Error, Equatable {
  case accepted(ListID)
  /// It repeats a list that is at work, and is out of the inbox.
  case repeated(ListID)
  /// It was accepted earlier; now it is out of the inbox too.
  case finished(ListID)
  case rejected(ListID)
  /// Rejected and recorded, but it stays where it is.
  case leftBehind(ListID)
  /// It is another file by now, or has other contents.
  case changed
  case missing
  case writer
  case unreadable(Failure)
  /// It is no list as it is.
  case refused(Failure, Proof)
  /// No more lists are let in now.
  case full(Failure)
  /// This machine's trouble; nothing is held against the file.
  case troubled(Failure)
  /// We were asked to stop.
  case interrupted
}

package struct WaitingFile: Equatable, Sendable {
  package enum Phase: Equatable, Sendable {
    /// Changed lately. → busy
    case settling
    /// Probed, tried or turned away just now. → any
    case busy
    /// Somebody has it open for writing. → busy
    case held(next: Duration, pause: Duration)
    /// No lease to be had: whole when quiet. → busy
    case quiet
    /// Did not read as a list; perhaps it is not whole. → busy
    case doubtful(Failure)
    /// This machine is in trouble. → busy
    case troubled(Failure, next: Duration, pause: Duration)
    /// No list is let in now. → busy
    case queued(Failure)
    /// We may not open it; every sweep tries. → busy
    case unreadable(Failure)
    /// Rejected and still there. Left when the file changes
    case leftBehind
  }

  package let candidate: Candidate
  /// Time since boot at which this status was first seen.
  package let since: Duration
  package var phase: Phase = .settling

  private static let writerPauses: (first: Duration, last: Duration) = (
    .milliseconds(250), .seconds(5)
  )
  /// Short, since it ends without a doorbell: nothing rings when there is room again.
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

  /// A writer's close rings the doorbell in most ways of arriving, but not in all: so we ask again,
  /// less and less often.
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

  /// The last pause, so that the next one can be longer.
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

  /// What it waits for, in words.
  package var waitsFor: String {
    switch phase {
    case .settling: "it changed a moment ago"
    case .busy: "it is being read"
    case .held: "somebody has it open for writing"
    case .quiet: "it must be quiet for a while, since this file system cannot tell who writes"
    case .queued(let failure): failure.reason
    case .doubtful(let failure): "it does not read as a list yet: \(failure.reason)"
    case .troubled(let failure, _, _): failure.reason
    case .unreadable(let failure): failure.reason
    case .leftBehind: "\(IgnoredReason.tooLarge)"
    }
  }
}
