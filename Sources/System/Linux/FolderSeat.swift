// SPDX-License-Identifier: Apache-2.0
// The seat of the one daemon on this machine that uses an inbox, kept without an open file in the folder. Any user
// can flood the name or take it first. The seat therefore only finds the rival for the message; the lock of the
// claims decides. A value; raises nothing.

package import Vocabulary

package struct FolderSeat: Sendable {
  private var folder: FolderIdentity?
  private var seat: NameSeat?
  private var rival: NameHolder?

  package init() {}

  /// The process that has taken the seat before us; nil if the seat is ours. Where such sockets do not work, or
  /// if a process of another user has the name or floods it, there is no seat, and the caller's other guard decides
  /// alone.
  package mutating func take(_ folder: FolderIdentity) -> Int32? {
    if self.folder != folder { (self.folder, seat, rival) = (folder, nil, nil) }
    if let seat {
      seat.drop()
      return nil
    }
    if rival?.isThere != true {
      rival = nil
      let name = "io.darkroom/inbox/\(folder.device):\(folder.inode)"
      do throws(SystemError) { seat = try NameSeat(name) } catch {
        if error.name == .addressInUse { rival = try? NameHolder(of: name) }
      }
    }
    guard let rival, ThisProcess.keepers.contains(rival.peer.user) else { return nil }
    return rival.peer.process
  }
}
