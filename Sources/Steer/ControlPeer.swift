// SPDX-License-Identifier: Apache-2.0
// The caller's process, user and group, from the kernel, and the caller's rights. The socket's mode admits
// or refuses a connection; only the socket's owner and root may change a list. A caller with a view acts for the user of
// that view.

internal import Linux

package struct ControlPeer: Hashable, Sendable {
  package let process: Int32
  package let user: UInt32
  package let group: UInt32
  /// The text of a `ViewRight`, as the caller sent it.
  package var view: String?

  package init(process: Int32, user: UInt32, group: UInt32) {
    self.process = process
    self.user = user
    self.group = group
  }

  init(_ peer: SocketPeer) {
    self.init(process: peer.process, user: peer.user, group: peer.group)
  }

  package func mayChange(listOf owner: UInt32) -> Bool { user == 0 || user == owner }

  /// True for root and for the daemon's user, because `systemctl reload` runs as that user.
  package func mayReload(daemonOf daemon: UInt32) -> Bool { user == 0 || user == daemon }
}
