// SPDX-License-Identifier: Apache-2.0
// What the operator may say about the inbox: `[Inbox]` of darkroomd.conf.

package struct InboxSettings: Equatable, Sendable {
  /// How long a file must not have changed before it is tried. Browsers, `install` and desktops still
  /// touch the path just after the last byte.
  package var dwell: Duration
  /// How long an unreadable list must not have changed before it is rejected; and how long any list
  /// must not have changed before it is tried where no lease can be had.
  package var quietTime: Duration
  /// A look that needs no doorbell.
  package var rescanInterval: Duration
  package var maximumListSize: UInt64
  /// How often a folder is looked at whose doorbell does not ring for all.
  static let pollInterval: Duration = .seconds(5)
  /// How often it is asked whether more lists may be let in, once some wait for that.
  static let queueInterval: Duration = .seconds(1)

  package init(
    dwell: Duration = .milliseconds(250), quietTime: Duration = .seconds(5),
    rescanInterval: Duration = .seconds(60), maximumListSize: UInt64 = 256 << 20
  ) {
    self.dwell = dwell
    self.quietTime = quietTime
    self.rescanInterval = rescanInterval
    self.maximumListSize = maximumListSize
  }
}
