// SPDX-License-Identifier: Apache-2.0
// The receiving end of datagrams: journald or the service manager.

internal import CLinux
package import Linux
package import Vocabulary

extension DatagramSocket {
  /// A received datagram: its bytes, or the contents of the file sent in their place.
  package struct Arrival: Equatable, Sendable {
    package let bytes: [UInt8]
    package let cameAsFile: Bool

    package var text: String { String(decoding: bytes, as: UTF8.self) }
  }

  /// A socket that receives at this path, or at `@name` in the abstract namespace.
  package convenience init(at address: String) throws(SystemError) {
    try self.init()
    let name = Array(address.utf8)
    try Calls.run("bind", address) {
      unsafe dr_datagram_bind(descriptor, name, UInt64(name.count))
    }
  }

  /// Waits for the next datagram, for a limited time.
  package func next() throws -> Arrival? {
    _ = try Poll.wait([Poll.Watch(descriptor)], for: Patience.time)
    return try receive()
  }

  /// The next datagram; nil if none has arrived.
  package func receive() throws(SystemError) -> Arrival? {
    let room = 256 << 10
    var buffer = [UInt8](repeating: 0, count: room)
    var file: Int32 = -1
    let used: Int64
    do throws(SystemError) {
      used = try Calls.run("recvmsg", "datagram") {
        unsafe dr_datagram_receive(descriptor, &buffer, UInt64(room), &file)
      }
    } catch {
      if error.name == .again { return nil }
      throw error
    }
    if file < 0 { return Arrival(bytes: Array(buffer[..<Int(used)]), cameAsFile: false) }
    let contents = LinuxFile(owning: Descriptor(owning: file), thing: "datagram")
    let size = try contents.status().size
    return Arrival(bytes: try contents.read(at: 0, upTo: Int(size)), cameAsFile: true)
  }
}
