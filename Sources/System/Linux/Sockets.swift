// SPDX-License-Identifier: Apache-2.0
// Local stream sockets: a socket that listens at a path, and streams between two processes.
// No call waits; a caller that must wait uses `Poll`. Raises `SystemError`.

internal import CLinux
package import Vocabulary

/// The process at the other end, as the kernel recorded it when the connection was made.
package struct SocketPeer: Equatable, Sendable {
  package let process: Int32
  package let user: UInt32
  package let group: UInt32
}

package final class StreamSocket: Sendable {
  private let handle: Descriptor
  private let thing: String

  fileprivate init(owning handle: consuming Descriptor, thing: String) {
    self.handle = handle
    self.thing = thing
  }

  package var descriptor: Int32 { handle.number }

  /// Raises ECONNREFUSED if no process listens, EAGAIN if the queue of waiting connections is full.
  package static func connect(to path: String) throws(SystemError) -> StreamSocket {
    let handle = Descriptor(owning: try Calls.run("socket", path) { dr_socket() })
    try Calls.run("connect", path) { unsafe dr_socket_connect(handle.number, path) }
    return StreamSocket(owning: handle, thing: path)
  }

  /// Connects to a name in the abstract namespace.
  static func connect(toName name: String) throws(SystemError) -> StreamSocket {
    let handle = Descriptor(owning: try Calls.run("socket", name) { dr_socket() })
    let bytes = Array("@\(name)".utf8)
    try Calls.run("connect", name) {
      unsafe dr_name_connect(handle.number, bytes, UInt64(bytes.count))
    }
    return StreamSocket(owning: handle, thing: name)
  }

  package func peer() throws(SystemError) -> SocketPeer {
    var peer = dr_peer()
    try Calls.run("getsockopt", thing) { unsafe dr_socket_peer(handle.number, &peer) }
    return SocketPeer(process: peer.process, user: peer.user, group: peer.group)
  }

  /// At most `count` received bytes; empty after the other side's end, nil if none have arrived.
  package func receive(upTo count: Int) throws(SystemError) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    do throws(SystemError) {
      let used = try Calls.run("read", thing) {
        unsafe dr_read(handle.number, &bytes, UInt64(count))
      }
      bytes.removeLast(count - Int(used))
      return bytes
    } catch {
      if error.name == .again { return nil }
      throw error
    }
  }

  /// The same, with a file that has come beside the bytes, open. Others that come with it are closed.
  package func receive(
    upTo count: Int, beside file: inout LinuxFile?
  ) throws(SystemError) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var numbers = [Int32](repeating: -1, count: Int(DR_MAXIMUM_PASSED))
    do throws(SystemError) {
      let used = try Calls.run("recvmsg", thing) {
        unsafe dr_packet_take(handle.number, &bytes, UInt64(count), &numbers, 0)
      }
      for number in numbers.reversed() where number >= 0 {
        file = LinuxFile(owning: Descriptor(owning: number), thing: "file from \(thing)")
      }
      bytes.removeLast(count - Int(used))
      return bytes
    } catch {
      if error.name == .again { return nil }
      throw error
    }
  }

  /// The number of bytes that the kernel took; 0 if it has no room. The file goes with the first byte.
  package func send(
    _ bytes: ArraySlice<UInt8>, beside file: LinuxFile? = nil
  ) throws(SystemError) -> Int {
    let passed = file.map { [$0.descriptor] } ?? []
    do throws(SystemError) {
      return Int(
        try Calls.run("sendmsg", thing) {
          unsafe bytes.withUnsafeBytes { raw in
            unsafe dr_packet_send(
              handle.number, raw.baseAddress, UInt64(raw.count), passed, Int32(passed.count))
          }
        })
    } catch {
      if error.name == .again { return 0 }
      throw error
    }
  }

  /// The other side has not read all that was sent.
  package var hasUnread: Bool { dr_socket_unread(handle.number) > 0 }

  /// Ends sending; the other side reads to the end and may still answer.
  package func finish() { _ = dr_socket_finish(handle.number) }
}

/// A socket at a path. Only `remove` removes its name.
package final class ListeningSocket: Sendable {
  private let handle: Descriptor
  /// 0 if the name is not ours to remove.
  private let inode: UInt64
  package let path: String

  /// Raises EADDRINUSE if the name exists, as a socket or as anything else.
  package init(at path: String, mode: UInt32, backlog: Int32 = 64) throws(SystemError) {
    let handle = Descriptor(owning: try Calls.run("socket", path) { dr_socket() })
    try Calls.run("bind", path) { unsafe dr_socket_bind(handle.number, path) }
    try Calls.run("chmod", path) { unsafe dr_socket_open_to(path, mode) }
    try Calls.run("listen", path) { dr_socket_listen(handle.number, backlog) }
    var inode: UInt64 = 0
    try Calls.run("lstat", path) { unsafe dr_socket_at(path, &inode) }
    self.handle = handle
    self.inode = inode
    self.path = path
  }

  /// A socket that another process has bound to the path, and keeps: callers wait in it while nothing accepts.
  package init(passed number: Int32, at path: String) throws(SystemError) {
    handle = Descriptor(owning: number)
    try Calls.run("fcntl", path) { dr_socket_no_wait(number) }
    (inode, self.path) = (0, path)
  }

  package var descriptor: Int32 { handle.number }

  /// The next connection; nil if none is waiting.
  package func accept() throws(SystemError) -> StreamSocket? {
    do throws(SystemError) {
      let number = try Calls.run("accept4", path) { dr_socket_accept(handle.number) }
      return StreamSocket(owning: Descriptor(owning: number), thing: path)
    } catch {
      // ECONNABORTED: the peer closed before the call.
      if error.name == .again || error.name == .connectionAborted { return nil }
      throw error
    }
  }

  /// Removes the name, unless it now names another socket.
  package func remove() {
    var now: UInt64 = 0
    guard unsafe dr_socket_at(path, &now) == 1, now == inode else { return }
    _ = unsafe dr_unlink_path(path)
  }

  /// True if a process listens at the path, busy or not.
  package static func isAnswered(at path: String) throws(SystemError) -> Bool {
    do throws(SystemError) {
      _ = try StreamSocket.connect(to: path)
      return true
    } catch {
      if error.name == .again { return true }
      if error.name == .connectionRefused || error.isMissing { return false }
      throw error
    }
  }

  /// Removes a socket's name; anything else stays and raises ENOTSOCK.
  package static func removeStale(at path: String) throws(SystemError) {
    var inode: UInt64 = 0
    let isSocket = try Calls.run("lstat", path) { unsafe dr_socket_at(path, &inode) }
    guard isSocket == 1 else { throw SystemError(.notSocket, call: "bind", thing: path) }
    try Calls.run("unlink", path) { unsafe dr_unlink_path(path) }
  }
}
