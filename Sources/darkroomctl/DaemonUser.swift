// SPDX-License-Identifier: Apache-2.0
// The user of the daemon, as the inbox tells it. Raises SystemError.

internal import Files
internal import Linux
internal import Vocabulary

enum DaemonUser {
  /// The daemon's mark of its inbox, which the daemon makes and owns.
  private static let mark = FileName(literal: ".claim")

  /// Nil for root and for this user, who have every right to a new file without an entry of an access control list.
  static func needingRights(in inbox: LinuxFolder) throws(SystemError) -> UInt32? {
    let known = try inbox.status(ifThere: mark)
    let owner = try known == nil ? inbox.owner() : known?.owner
    return owner == 0 || owner == ThisProcess.user ? nil : owner
  }
}
