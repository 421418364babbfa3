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

  /// False if no connected interface has more than a loopback address and a link-local one of IPv6. True if that cannot
  /// be told.
  package static var hasNetwork: Bool {
    if dr_has_version4() == 1 { return true }
    if dr_knows_version6() == 0 { return false }
    guard let rows = KernelText.read(FileName(literal: "if_inet6"), in: "/proc/self/net"),
      let names = wideInterfaces(rows)
    else { return true }
    return names.contains { name in
      unsafe name.withCString { unsafe dr_interface_is_connected($0) == 1 }
    }
  }

  /// The interfaces with an address of IPv6 that is neither link-local nor the loopback one, from rows of
  /// /proc/net/if_inet6: address, index, length of the prefix, scope, flags, name. Nil if a row is not like that.
  package static func wideInterfaces(_ rows: String) -> Set<String>? {
    var names: Set<String> = []
    for row in rows.split(separator: "\n") {
      let fields = row.split(separator: " ")
      guard fields.count == 6, fields[0].utf8.count == 32,
        let start = UInt16(fields[0].prefix(4), radix: 16)
      else { return nil }
      let isLoopback = fields[0] == "00000000000000000000000000000001"
      if !isLoopback, start & 0xFFC0 != 0xFE80 { names.insert(String(fields[5])) }
    }
    return names
  }

  /// Blocks SIGPIPE: a closed connection then is an error for this thread and does not end the process.
  package static func blockPipeSignal() {
    let signals: [Int32] = [13]
    _ = unsafe dr_signals_block(signals, 1)
  }
}
