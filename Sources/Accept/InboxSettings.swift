// SPDX-License-Identifier: Apache-2.0
// The settings of the inbox. All but `dwell` come from `[Inbox]` in darkroomd.conf.

package struct InboxSettings: Equatable, Sendable {
  /// How long a file must be unchanged before it is tried. Browsers, `install` and desktops still touch the
  /// file just after the last byte.
  package var dwell: Duration
  /// How long an unreadable list must be unchanged before it is rejected, and any list before it is tried
  /// without a lease.
  package var quietTime: Duration
  /// The interval of the safety sweep, which needs no doorbell.
  package var rescanInterval: Duration
  package var maximumListSize: UInt64
  /// Dropped pictures, and folders with pictures, become lists.
  package var pictures: Bool
  /// They do not, because this is a node of a cluster.
  package var isNode: Bool
  /// Claims at once.
  package var claims: Int
  /// Candidates at once.
  package var waiting: WaitingLimits
  /// The interval of sweeps where the doorbell may miss events.
  static let pollInterval: Duration = .seconds(5)
  /// The interval of checks for room while lists wait to be let in.
  static let queueInterval: Duration = .seconds(1)
  /// The same for what a person has to end: the disks rest meanwhile.
  static let longQueueInterval: Duration = .seconds(10)

  package init(
    dwell: Duration = .milliseconds(250), quietTime: Duration = .seconds(5),
    rescanInterval: Duration = .seconds(60), maximumListSize: UInt64 = 256 << 20, claims: Int = 4,
    pictures: Bool = true, isNode: Bool = false, waiting: WaitingLimits = WaitingLimits()
  ) {
    self.dwell = dwell
    self.quietTime = quietTime
    self.rescanInterval = rescanInterval
    self.maximumListSize = maximumListSize
    self.claims = claims
    self.pictures = pictures && !isNode
    self.isNode = isNode
    self.waiting = waiting
  }
}
