// SPDX-License-Identifier: Apache-2.0
// Everything that is ever reported, each with its facts. Nothing is reported that is not recorded.

package import Vocabulary

package enum Notice: Equatable, Sendable {
  case ready(version: String, inbox: String, openLists: UInt64)
  case stopping(openLists: UInt64)
  case listAccepted(ListFacts)
  /// `name` is the dropped file's.
  case listRejected(ListID, name: String, Failure)
  case listProgress(ListFacts)
  case listFinished(ListFacts)
  case listPaused(ListFacts)
  case listResumed(ListFacts)
  case listCancelled(ListFacts)
  case photoFinished(PhotoFacts)
  case photoFailed(PhotoFacts, Stage, Failure)
  case retryScheduled(PhotoFacts, Stage, Failure, after: Duration)
  case transition(PhotoFacts)
  /// A server, as messages name it, is asked for one photo at a time until it answers.
  case hostClosed(String, Failure, retryAfter: Duration)
  case hostReopened(String, after: Duration)
  /// `waits` says what waits for it, as the beginning of a sentence: "downloads wait".
  case machineTrouble(Failure, waits: String)
  case machineRecovered(code: String, resumes: String)
  case journalReplayed(ReplayFacts)
  case journalUnwritable(Failure)
  /// The settings whose values are others now.
  case configurationReloaded(changed: [String])
  case configurationRejected(Failure)
  case fileIgnored(name: String, reason: String)
  /// The photo or, without one, the list over which it died.
  case workerDied(ListID, listName: String, photo: PhotoFacts?, reason: String, next: String)
  case recordsCoalesced(count: UInt64)
  /// What the inbox lies on and what that means; ends a sentence that begins with the inbox.
  case inboxSurveyed(inbox: String, words: String)
  case inboxOverflowed(names: UInt64)
  case inboxDegraded(Failure, rescan: Duration)
  case inboxRecovered(inbox: String)
  /// A wall of the workers' sandbox that this machine does not offer.
  case sandboxReduced(protection: String, reason: String)

  package var messageID: MessageID {
    switch self {
    case .ready: .ready
    case .stopping: .stopping
    case .listAccepted: .listAccepted
    case .listRejected: .listRejected
    case .listProgress: .listProgress
    case .listFinished: .listFinished
    case .listPaused: .listPaused
    case .listResumed: .listResumed
    case .listCancelled: .listCancelled
    case .photoFinished: .photoFinished
    case .photoFailed: .photoFailed
    case .retryScheduled: .retryScheduled
    case .transition: .transition
    case .hostClosed: .hostClosed
    case .hostReopened: .hostReopened
    case .machineTrouble: .machineTrouble
    case .machineRecovered: .machineRecovered
    case .journalReplayed(let facts): facts.recordsLost > 0 ? .journalDamaged : .journalReplayed
    case .journalUnwritable: .journalUnwritable
    case .configurationReloaded: .configurationReloaded
    case .configurationRejected: .configurationRejected
    case .fileIgnored: .fileIgnored
    case .workerDied: .workerDied
    case .recordsCoalesced: .recordsCoalesced
    case .inboxSurveyed: .inboxSurveyed
    case .inboxOverflowed: .inboxOverflowed
    case .inboxDegraded: .inboxDegraded
    case .inboxRecovered: .inboxRecovered
    case .sandboxReduced: .sandboxReduced
    }
  }

  package var priority: Priority { messageID.priority }

  package var message: Message {
    Message(id: messageID, words: words, fields: fields)
  }
}
