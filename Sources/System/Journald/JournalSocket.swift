// SPDX-License-Identifier: Apache-2.0
// journald's native socket. One record is one datagram; a record too large for a datagram is sent as a
// sealed memory file. Promises: `send` never waits, even if journald hangs. Raises `SystemError`.
// Concurrency: immutable; used by the writer thread of `Report`.

internal import Linux
package import Vocabulary

package final class JournalSocket: Sendable {
  package enum Outcome: Equatable, Sendable {
    case sent
    /// journald's queue is full. Call `waitForRoom`, then send again.
    case full
  }

  package static let standardPath = "/run/systemd/journal/socket"

  private let socket: DatagramSocket
  private let path: String

  /// Raises if no journald listens.
  package init(path: String = JournalSocket.standardPath) throws(SystemError) {
    self.path = path
    socket = try DatagramSocket()
    try socket.connect(to: path)
  }

  package func send(_ entry: JournalEntry) throws(SystemError) -> Outcome {
    do throws(SystemError) {
      return try sendOnce(entry)
    } catch {
      // journald has made a new socket: datagrams to the old one would never arrive.
      guard error.hasLostPeer else { throw error }
      try socket.connect(to: path)
      return try sendOnce(entry)
    }
  }

  private func sendOnce(_ entry: JournalEntry) throws(SystemError) -> Outcome {
    do throws(SystemError) {
      do throws(SystemError) {
        try socket.send(entry.bytes)
      } catch {
        guard error.isTooBig else { throw error }
        try socket.sendAsFile(entry.bytes)
      }
      return .sent
    } catch {
      guard error.isFull else { throw error }
      return .full
    }
  }

  package func waitForRoom(_ limit: Duration) throws(SystemError) {
    try socket.waitForRoom(limit)
  }
}

extension SystemError {
  var isFull: Bool { name == .again }
  var isTooBig: Bool { name == .messageTooLong || name == .noBuffers }
  var hasLostPeer: Bool {
    switch name {
    case .connectionRefused, .connectionReset, .notConnected, .brokenPipe, .noDestination: true
    default: false
    }
  }
}
