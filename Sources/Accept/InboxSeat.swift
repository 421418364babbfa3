// SPDX-License-Identifier: Apache-2.0
// The place of the one daemon on this machine that takes lists from an inbox. It is kept as long as the folder
// is the inbox, without an open file in it. A value; raises nothing.

internal import Linux
internal import Vocabulary

struct InboxSeat {
  private var seat: NameSeat?
  private var rival: NameHolder?

  /// The process that has taken the seat before us; nil if the seat is ours. Where such sockets do not work, or
  /// if a process of another user has the name or floods it, the lock in `.claim` decides alone.
  mutating func take(_ inbox: FolderIdentity) -> Int32? {
    if let seat {
      seat.drop()
      return nil
    }
    if rival?.isThere != true {
      rival = nil
      let name = "io.darkroom/inbox/\(inbox.device):\(inbox.inode)"
      do throws(SystemError) { seat = try NameSeat(name) } catch {
        if error.name == .addressInUse { rival = try? NameHolder(of: name) }
      }
    }
    guard let rival, [0, ThisProcess.user].contains(rival.peer.user) else { return nil }
    return rival.peer.process
  }
}
