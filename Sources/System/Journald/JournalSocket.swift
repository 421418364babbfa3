// SPDX-License-Identifier: Apache-2.0
// journald's native socket. One record is one datagram; what is too big for one goes as a sealed
// file in memory. Promises: `send` never waits, whatever journald does. Raises `SystemError`.
// Concurrency: immutable; used by the one writer thread of `Report`.

internal import Linux
package import Vocabulary

package final class JournalSocket: Sendable {
  package enum Outcome: Equatable, Sendable {
    case sent
    /// journald has not read what it was sent before. `waitForRoom`, then send again.
    case full
  }

  package static let standardPath = "/run/systemd/journal/socket"

  private let socket: DatagramSocket
  private let path: String

  /// Fails where no journald listens.
  package init(path: String = JournalSocket.standardPath) throws(SystemError) {
    self.path = path
    socket = try DatagramSocket()
    try socket.connect(to: path)
  }

  package func send(_ entry: JournalEntry) throws(SystemError) -> Outcome {
    do throws(SystemError) {
      return try sendOnce(entry)
    } catch {
      // journald's socket was made anew: connected to the old one, we would never be heard again.
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
  /// EAGAIN.
  var isFull: Bool { code == 11 }
  /// EMSGSIZE, ENOBUFS.
  var isTooBig: Bool { code == 90 || code == 105 }
  /// ECONNREFUSED, ECONNRESET, ENOTCONN, EPIPE, EDESTADDRREQ.
  var hasLostPeer: Bool { [111, 104, 107, 32, 89].contains(code) }
}
