// SPDX-License-Identifier: Apache-2.0
// The priority of a message, in syslog's numbers: a lower number is more urgent.

package enum Priority: UInt8, Sendable, CaseIterable, Comparable {
  case critical = 2
  case error = 3
  case warning = 4
  case notice = 5
  case info = 6
  case debug = 7

  /// The more urgent priority is the smaller.
  package static func < (a: Priority, b: Priority) -> Bool { a.rawValue < b.rawValue }
}

extension MessageID {
  package var priority: Priority {
    switch self {
    case .journalUnwritable: .critical
    case .configurationRejected: .error
    case .machineTrouble, .journalDamaged, .workerDied, .recordsCoalesced,
      .inboxDegraded, .sandboxReduced, .hostClosed, .stateIsOlder, .hookFailed, .webhookFailed:
      .warning
    // A mistake of a person, and a photo that its origin does not have, are not trouble of this machine. A host that does
    // not answer is one warning, not one for each attempt.
    case .listRejected, .photoFailed, .fileUnreadable, .retryScheduled: .notice
    case .ready, .stopping, .listAccepted, .listProgress, .listFinished, .listPaused, .listResumed,
      .listCancelled, .listReclassed, .listRemoved, .printsExpired, .machineRecovered,
      .journalReplayed,
      .configurationReloaded,
      .fileIgnored, .inboxSurveyed, .inboxOverflowed, .inboxRecovered, .hostReopened,
      .hostsFlushed, .cacheCleared,
      .stateIsCopied, .webhookSent, .webhookDelayed, .printStood:
      .notice
    case .photoFinished: .info
    case .transition: .debug
    }
  }
}
