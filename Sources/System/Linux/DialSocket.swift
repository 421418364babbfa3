// SPDX-License-Identifier: Apache-2.0
// Sockets for going out, and what a thread that writes to them needs.

internal import CLinux
package import Vocabulary

package enum DialSocket {
  /// A socket not yet connected, closed on exec. `thing` says to whom it is to lead.
  package static func open(
    family: Int32, type: Int32, protocol number: Int32, thing: @autoclosure () -> String
  ) throws(SystemError) -> Descriptor {
    Descriptor(
      owning: try Calls.run("socket", thing()) { dr_dial_socket(family, type, number) })
  }

  /// A peer that has gone is an error to this thread, not a signal that ends the process.
  package static func blockPipeSignal() {
    let signals: [Int32] = [13]
    _ = unsafe dr_signals_block(signals, 1)
  }
}
