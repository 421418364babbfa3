// SPDX-License-Identifier: Apache-2.0
// The service manager's notify socket, and what it expects of us. Promises: a message is sent whole
// or not at all, and nobody waits longer than the time given. Raises `SystemError`.
// Concurrency: immutable; each message has a socket of its own, so any thread may send.

internal import Linux
package import Vocabulary

package final class NotifySocket: Sendable {
  private let address: String

  /// Nil where no service manager asked to be told.
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
    /// With the time the reload began, by which newer managers tell this reload from an older one.
    case reloading(monotonicMicroseconds: UInt64)
    case watchdog
    /// A start or stop goes on: not to be judged before this much time has passed.
    case extendTimeout(Duration)

    package var text: String {
      switch self {
      case .ready: "READY=1"
      case .status(let words): "STATUS=\(Printable.text(words))"
      case .stopping: "STOPPING=1"
      case .reloading(let time): "RELOADING=1\nMONOTONIC_USEC=\(time)"
      case .watchdog: "WATCHDOG=1"
      case .extendTimeout(let time): "EXTEND_TIMEOUT_USEC=\(time.nanoseconds / 1000)"
      }
    }
  }

  /// How often the manager wants to hear from us; nil when it does not, or means another process.
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
