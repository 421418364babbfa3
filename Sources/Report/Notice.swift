// SPDX-License-Identifier: Apache-2.0
// Every notice that darkroom reports, with its facts. A change of a list or photo is reported only after
// its record is durable.

package import Vocabulary

package enum Notice: Equatable, Sendable {
  case ready(version: String, inbox: String, openLists: UInt64)
  case stopping(openLists: UInt64)
  case listAccepted(ListFacts)
  /// `name` is the dropped file's.
  case listRejected(ListID, name: String, owner: Person, Failure)
  case listProgress(ListFacts)
  case listFinished(ListFacts)
  case listPaused(ListFacts)
  case listResumed(ListFacts)
  case listCancelled(ListFacts)
  /// With its new class.
  case listReclassed(ListFacts)
  /// By this user, if the daemon still knows.
  case listRemoved(ListFacts)
  /// KeepPrints= has passed since its end. Prints in a folder rest before they are removed.
  case printsExpired(ListFacts, isResting: Bool)
  case photoFinished(PhotoFacts)
  /// Another maker's print has the name, with other contents: it stands, and is the result.
  case printStood(PhotoFacts)
  case photoFailed(PhotoFacts, Stage, Failure)
  case retryScheduled(PhotoFacts, Stage, Failure, after: Duration)
  case transition(PhotoFacts)
  /// Downloads from this host wait; one photo at a time probes it until it answers.
  case hostClosed(String, Failure, retryAfter: Duration)
  case hostReopened(String, after: Duration)
  /// A user has one host tried again at once or, without a host, everything that waits; `count` is the number of
  /// hosts that did not answer.
  case hostsFlushed(String?, count: UInt64, by: Person)
  case cacheCleared(by: Person)
  /// `waits` is a clause that names the work on hold: "downloads wait".
  case machineTrouble(Failure, waits: String)
  /// The failure that is over.
  case machineRecovered(Failure, resumes: String)
  case journalReplayed(ReplayFacts)
  case journalUnwritable(Failure)
  /// The record ends before a list that this machine has reported: the state folder is from a backup.
  case stateIsOlder(recorded: ListID, reported: ListID, next: ListID)
  case stateIsCopied(next: ListID)
  /// The names of the settings whose values changed.
  case configurationReloaded(changed: [String], by: Person? = nil)
  case configurationRejected(Failure)
  case fileIgnored(name: String, reason: String)
  /// The daemon may not read it, or not take it away; its owner has to act.
  case fileUnreadable(name: String, Failure)
  /// The worker died while developing `photo`, or while reading the list when `photo` is nil.
  case workerDied(ListID, listName: String, photo: PhotoFacts?, reason: String, next: String)
  case recordsCoalesced(LostMessages)
  /// `words` describes the inbox's file system and completes "The inbox PATH is …".
  case inboxSurveyed(inbox: String, words: String)
  case inboxOverflowed(names: UInt64)
  case inboxDegraded(Failure, rescan: Duration)
  case inboxRecovered(inbox: String)
  /// The program of an administrator; it is not run again.
  case hookFailed(HookFacts, Failure)
  case webhookSent(HookFacts, attempts: UInt32)
  /// The first attempt failed.
  case webhookDelayed(HookFacts, Failure, again: Duration)
  /// It is given up.
  case webhookFailed(HookFacts, Failure, attempts: UInt32)
  /// This machine lacks one layer of the workers' sandbox.
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
    case .listReclassed: .listReclassed
    case .listRemoved: .listRemoved
    case .printsExpired: .printsExpired
    case .photoFinished: .photoFinished
    case .printStood: .printStood
    case .photoFailed: .photoFailed
    case .retryScheduled: .retryScheduled
    case .transition: .transition
    case .hostClosed: .hostClosed
    case .hostReopened: .hostReopened
    case .hostsFlushed: .hostsFlushed
    case .cacheCleared: .cacheCleared
    case .machineTrouble: .machineTrouble
    case .machineRecovered: .machineRecovered
    case .journalReplayed(let facts): facts.recordsLost > 0 ? .journalDamaged : .journalReplayed
    case .journalUnwritable: .journalUnwritable
    case .stateIsOlder: .stateIsOlder
    case .stateIsCopied: .stateIsCopied
    case .configurationReloaded: .configurationReloaded
    case .configurationRejected: .configurationRejected
    case .fileIgnored: .fileIgnored
    case .fileUnreadable: .fileUnreadable
    case .workerDied: .workerDied
    case .recordsCoalesced: .recordsCoalesced
    case .inboxSurveyed: .inboxSurveyed
    case .inboxOverflowed: .inboxOverflowed
    case .inboxDegraded: .inboxDegraded
    case .inboxRecovered: .inboxRecovered
    case .hookFailed: .hookFailed
    case .webhookSent: .webhookSent
    case .webhookDelayed: .webhookDelayed
    case .webhookFailed: .webhookFailed
    case .sandboxReduced: .sandboxReduced
    }
  }

  package var priority: Priority { messageID.priority }

  package var message: Message {
    Message(id: messageID, words: words, fields: fields)
  }
}
