// SPDX-License-Identifier: Apache-2.0
// What the service manager is told: ready, the status line, reloading, stopping. Without a manager
// everything here does nothing. Promises: nobody waits for the manager longer than three seconds,
// and for the status line not at all.
// Concurrency model: `state` decides inside the lock; messages go out after it.

package import Journald
internal import Linux
internal import Synchronization
package import Vocabulary

package final class ServiceStatus: Sendable {
  private let socket: NotifySocket?
  private let clock: any Timekeeper
  private let state = Mutex(StatusThrottle())

  package init(socket: NotifySocket?, clock: any Timekeeper) {
    self.socket = socket
    self.clock = clock
  }

  /// After everything that the first client relies on: settings read, journal file replayed, inbox
  /// watched, control socket listening.
  package func ready() { tell([.ready]) }

  /// The first act of a reload. Whatever comes of it, `ready` must follow.
  package func reloading() {
    tell([.reloading(monotonicMicroseconds: Surroundings.monotonicMicroseconds)])
  }

  /// The first act of a stop.
  package func stopping() { tell([.stopping]) }

  /// A start or a stop that makes progress asks for more time.
  package func extend(_ time: Duration) { tell([.extendTimeout(time)]) }

  /// The line that `systemctl status` shows. Sent when it differs, at most once a second.
  package func set(_ text: String) {
    guard socket != nil else { return }
    perform(state.withLock { $0.set(text, at: clock.uptime()) })
  }

  private func perform(_ action: StatusThrottle.Action) {
    switch action {
    case .send(let text): try? socket?.send([.status(text)])
    case .wait(let time):
      _ = clock.after(time) {
        self.perform(self.state.withLock { $0.due(at: self.clock.uptime()) })
      }
    case .nothing: break
    }
  }

  private func tell(_ lines: [NotifySocket.Line]) {
    try? socket?.send(lines, patience: .seconds(3))
  }
}
