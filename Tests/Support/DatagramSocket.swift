// SPDX-License-Identifier: Apache-2.0
// The receiving end of datagrams: journald or the service manager.

internal import CPrograms
internal import Linux
package import Vocabulary

package final class DatagramSocket: Sendable {
  /// A received datagram: its bytes, or the contents of the file sent in their place.
  package struct Arrival: Equatable, Sendable {
    package let bytes: [UInt8]
    package let cameAsFile: Bool

    package var text: String { String(decoding: bytes, as: UTF8.self) }
  }

  private let handle: Descriptor

  package init(at path: String) throws(SystemError) {
    handle = Descriptor(owning: try Calls.run("bind", path) { unsafe datagram_listen(path) })
  }

  /// Waits for the next datagram, for a limited time.
  package func next() throws -> Arrival? {
    _ = try Poll.wait([Poll.Watch(handle.number)], for: Patience.time)
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
        unsafe datagram_receive(handle.number, &buffer, UInt64(room), &file)
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
