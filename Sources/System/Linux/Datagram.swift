// SPDX-License-Identifier: Apache-2.0
// A Unix datagram socket: journald and the service manager listen on such sockets. Sending never waits;
// a caller that may wait calls `waitForRoom`. Raises `SystemError`.
// Concurrency: immutable except for kernel state; a datagram is sent whole or not at all.

internal import CLinux
package import Vocabulary

package final class DatagramSocket: Sendable {
  private let handle: Descriptor

  package init() throws(SystemError) {
    handle = Descriptor(owning: try Calls.run("socket", "datagrams") { dr_datagram() })
  }

  package var descriptor: Int32 { handle.number }

  /// A path, or `@name` in the abstract namespace. May be called again to reach a restarted peer.
  package func connect(to address: String) throws(SystemError) {
    let name = Array(address.utf8)
    try Calls.run("connect", address) {
      unsafe dr_datagram_connect(handle.number, name, UInt64(name.count))
    }
  }

  package func send(_ bytes: [UInt8]) throws(SystemError) {
    try Calls.run("send", "datagram") {
      unsafe dr_datagram_send(handle.number, bytes, UInt64(bytes.count))
    }
  }

  /// Sends a sealed memory file in place of bytes that are too many for a datagram.
  package func sendAsFile(_ bytes: [UInt8]) throws(SystemError) {
    let number = try Calls.run("memfd_create", "datagram") {
      unsafe dr_memory_file("darkroom-record")
    }
    let file = LinuxFile(owning: Descriptor(owning: number), thing: "datagram")
    try file.write(bytes, at: 0)
    try Calls.run("fcntl", "datagram") { dr_memory_seal(file.descriptor) }
    try Calls.run("sendmsg", "datagram") {
      dr_datagram_send_file(handle.number, file.descriptor)
    }
  }

  /// Waits until the peer's queue has room, or the time is over.
  package func waitForRoom(_ limit: Duration) throws(SystemError) {
    _ = try Poll.wait([Poll.Watch(handle.number, wantsWrite: true)], for: limit)
  }
}
