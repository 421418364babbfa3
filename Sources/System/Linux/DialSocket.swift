// SPDX-License-Identifier: Apache-2.0
// Sockets for outgoing connections, and the signal mask for a thread that writes to them. `open` raises
// `SystemError`.

internal import CLinux
package import Vocabulary

package enum DialSocket {
  /// An unconnected socket, closed on exec. `thing` names the intended peer in errors.
  package static func open(
    family: Int32, type: Int32, protocol number: Int32, thing: @autoclosure () -> String
  ) throws(SystemError) -> Descriptor {
    Descriptor(
      owning: try Calls.run("socket", thing()) { dr_dial_socket(family, type, number) })
  }

  /// An interface of this machine has the address.
  package static func isOwn(_ address: NetworkAddress) -> Bool {
    unsafe address.bytes.withUnsafeBufferPointer {
      unsafe dr_address_is_own($0.baseAddress, Int32($0.count)) == 1
    }
  }

  /// False if no interface but the loopback one is connected.
  package static var hasNetwork: Bool { dr_has_network() == 1 }

  /// Blocks SIGPIPE: a closed connection then is an error for this thread and does not end the process.
  package static func blockPipeSignal() {
    let signals: [Int32] = [13]
    _ = unsafe dr_signals_block(signals, 1)
  }
}
