// SPDX-License-Identifier: Apache-2.0
// A socket that keeps packets whole and carries descriptors. `ChildProcess` makes the pairs.
// Raises `SystemError`: EMSGSIZE for a packet that is too large, EAGAIN if there is none to take or no room
// to send one.

internal import CLinux
package import Vocabulary

package struct PacketSocket: ~Copyable, Sendable {
  private let handle: Descriptor

  package init(owning handle: consuming Descriptor) { self.handle = handle }

  package var descriptor: Int32 { handle.number }

  /// Never waits: a full socket raises EAGAIN.
  package func send(_ bytes: [UInt8], files: [Int32] = []) throws(SystemError) {
    try Calls.run("sendmsg", "packet socket") {
      unsafe dr_packet_send(handle.number, bytes, UInt64(bytes.count), files, Int32(files.count))
    }
  }

  /// The next packet; empty if the other side has closed. The kernel drops descriptors in it.
  package func take(atMost limit: Int) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = try Calls.run("recvmsg", "packet socket") {
      unsafe dr_packet_take(handle.number, &bytes, UInt64(limit), nil, 0)
    }
    bytes.removeLast(limit - Int(count))
    return bytes
  }

  /// Waits for the next packet and takes its descriptors; the caller closes them.
  package func wait(atMost limit: Int) throws(SystemError) -> (bytes: [UInt8], files: [Int32]) {
    var bytes = [UInt8](repeating: 0, count: limit)
    var files = [Int32](repeating: -1, count: Int(DR_MAXIMUM_PASSED))
    let count = try Calls.run("recvmsg", "packet socket") {
      unsafe dr_packet_take(handle.number, &bytes, UInt64(limit), &files, 1)
    }
    bytes.removeLast(limit - Int(count))
    return (bytes, files.filter { $0 >= 0 })
  }
}

extension Descriptor {
  /// The bytes that are available; nil if there are none, empty at the end or after an error.
  package borrowing func readAvailable(atMost limit: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = unsafe dr_read(number, &bytes, UInt64(limit))
    if count == -11 { return nil }
    return Array(bytes.prefix(max(0, Int(count))))
  }
}
