// SPDX-License-Identifier: Apache-2.0
// The service manager's end of the notify socket of a whole daemon: its messages in order, and its status line.
// Concurrency model: the lock guards the messages.

import Linux
import Support
import Synchronization

final class NotifyListener: Sendable {
  let path: String
  private let socket: DatagramSocket
  private let told = Mutex<[String]>([])

  init(at path: String) throws {
    self.path = path
    socket = try DatagramSocket(at: path)
  }

  /// All lines that have arrived.
  var lines: [String] {
    while let text = try? socket.receive()?.text {
      told.withLock { $0 += text.split(separator: "\n").map(String.init) }
    }
    return told.withLock { $0 }
  }

  /// The newest status line.
  var status: String { lines.last { $0.hasPrefix("STATUS=") } ?? "" }
}
