// SPDX-License-Identifier: Apache-2.0
// Notifications to the service manager: ready, status line, reloading, stopping. Without a manager
// every call does nothing. Promises: no call waits longer than three seconds; `set` never waits.
// Concurrency model: the lock decides whether `line` changed; messages are sent after unlocking.

package import Journald
internal import Linux
internal import Synchronization

package final class ServiceStatus: Sendable {
  private let socket: NotifySocket?
  private let line = Mutex("")

  package init(socket: NotifySocket?) { self.socket = socket }

  /// The settings are read, the control socket answers, and the journal file is replayed or its disk is in trouble.
  /// The inbox and the lists are opened after this.
  package func ready() { tell([.ready]) }

  /// The first act of a reload. `ready` must follow, even when the reload fails.
  package func reloading() {
    tell([.reloading(monotonicMicroseconds: Surroundings.monotonicMicroseconds)])
  }

  /// The first act of a stop.
  package func stopping() { tell([.stopping]) }

  /// Sets the line that `systemctl status` shows. Sends it only when it changed.
  package func set(_ text: String) {
    let isNews = line.withLock { line in
      defer { line = text }
      return line != text
    }
    if isNews { try? socket?.send([.status(text)]) }
  }

  private func tell(_ lines: [NotifySocket.Line]) {
    try? socket?.send(lines, patience: .seconds(3))
  }
}
