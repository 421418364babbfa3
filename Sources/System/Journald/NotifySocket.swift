// SPDX-License-Identifier: Apache-2.0
// The service manager's notify socket, and its watchdog period. Promises: a message is sent whole or not
// at all, and `send` waits at most the time given. Raises `SystemError`.
// Concurrency: immutable; each message has its own socket, so any thread may send.

internal import Linux
package import Vocabulary

package final class NotifySocket: Sendable {
  private let address: String

  /// Nil if no service manager wants notifications.
  package init?(environment: [String: String]) {
    guard let address = environment["NOTIFY_SOCKET"], let first = address.first,
      first == "/" || first == "@"
    else { return nil }
    self.address = address
  }

  package func send(_ lines: [Line], patience: Duration = .zero) throws(SystemError) {
    let socket = try DatagramSocket()
    let bytes = Array(lines.map(\.text).joined(separator: "\n").utf8)
    do throws(SystemError) {
      try socket.connect(to: address)
      try socket.send(bytes)
    } catch {
      guard error.isFull, patience > .zero else { throw error }
      try socket.waitForRoom(patience)
      try socket.send(bytes)
    }
  }
}

extension NotifySocket {
  /// One assignment of the protocol.
  package enum Line: Equatable, Sendable {
    case ready
    case status(String)
    case stopping
    /// With the start time of the reload, by which newer managers distinguish it from an earlier one.
    case reloading(monotonicMicroseconds: UInt64)
    case watchdog

    package var text: String {
      switch self {
      case .ready: "READY=1"
      case .status(let words): "STATUS=\(Printable.text(words))"
      case .stopping: "STOPPING=1"
      case .reloading(let time): "RELOADING=1\nMONOTONIC_USEC=\(time)"
      case .watchdog: "WATCHDOG=1"
      }
    }
  }

  /// The manager's watchdog period; nil if there is none, or if it is for another process.
  package static func watchdogPeriod(
    environment: [String: String], process: Int32
  ) -> Duration? {
    guard let text = environment["WATCHDOG_USEC"], let time = Int64(text), time > 0 else {
      return nil
    }
    if let pid = environment["WATCHDOG_PID"], pid != String(process) { return nil }
    return .microseconds(time)
  }
}
