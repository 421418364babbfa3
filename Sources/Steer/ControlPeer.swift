// SPDX-License-Identifier: Apache-2.0
// Who is asking, as the kernel knows them, and what they may do. The socket's mode decides who may ask
// at all; changing a list is for its owner and root.

internal import Linux

package struct ControlPeer: Hashable, Sendable {
  package let process: Int32
  package let user: UInt32
  package let group: UInt32

  package init(process: Int32, user: UInt32, group: UInt32) {
    self.process = process
    self.user = user
    self.group = group
  }

  init(_ peer: SocketPeer) {
    self.init(process: peer.process, user: peer.user, group: peer.group)
  }

  package func mayChange(listOf owner: UInt32) -> Bool { user == 0 || user == owner }

  /// The service's own user may, since `systemctl reload` runs as that user.
  package func mayReload(daemonOf daemon: UInt32) -> Bool { user == 0 || user == daemon }
}
