// SPDX-License-Identifier: Apache-2.0
// A name that one process at a time has: a listening socket in the kernel's abstract namespace. Unlike a locked
// file it keeps no file system mounted; unlike a file with a process number it is gone when the process is.
// Processes in other network namespaces do not see it. Raises `SystemError`.

internal import CLinux
package import Vocabulary

package final class NameSeat: Sendable {
  private let handle: Descriptor

  /// Raises EADDRINUSE if another process has the name.
  package init(_ name: String) throws(SystemError) {
    let handle = Descriptor(owning: try Calls.run("socket", name) { dr_socket() })
    let bytes = Array("@\(name)".utf8)
    try Calls.run("bind", name) {
      unsafe dr_name_bind(handle.number, bytes, UInt64(bytes.count))
    }
    try Calls.run("listen", name) { dr_socket_listen(handle.number, 64) }
    self.handle = handle
  }

  /// Drops the questions that came in, because the kernel queues few questions. A caller that still waits asks again.
  package func drop() {
    while true {
      let number = dr_socket_accept(handle.number)
      guard number >= 0 else { return }
      _ = Descriptor(owning: number)
    }
  }
}

/// A process that has a name, and the news of its end.
package final class NameHolder: Sendable {
  private let socket: StreamSocket
  package let peer: SocketPeer

  /// Nil if no process has the name any more, or if too many ask.
  package init?(of name: String) throws(SystemError) {
    do throws(SystemError) {
      socket = try StreamSocket.connect(toName: name)
      peer = try socket.peer()
    } catch {
      if error.name == .connectionRefused || error.name == .again { return nil }
      throw error
    }
  }

  /// False once the process has left the name or has ended.
  package var isThere: Bool {
    do throws(SystemError) { return try socket.receive(upTo: 1) == nil } catch { return false }
  }
}
