// SPDX-License-Identifier: Apache-2.0
// A listening TCP socket: a free port of this machine alone, or one that the service manager has passed. Raises
// `SystemError`.

internal import CLinux
package import Vocabulary

package final class TCPListener: Sendable {
  private let handle: Descriptor
  package let port: Int

  /// Nobody but this machine reaches it.
  package init() throws(SystemError) {
    handle = Descriptor(owning: try Calls.run("bind", "127.0.0.1") { dr_loopback_listen(64) })
    port = Int(
      try Calls.run("getsockname", "127.0.0.1") { [number = handle.number] in dr_port_of(number) })
  }

  package init(passed number: Int32) throws(SystemError) {
    try Calls.run("fcntl", "passed socket") { dr_socket_no_wait(number) }
    port = Int(try Calls.run("getsockname", "passed socket") { dr_port_of(number) })
    handle = Descriptor(owning: number)
  }

  package var descriptor: Int32 { handle.number }
}
