// SPDX-License-Identifier: Apache-2.0
// Tells the service manager that we live, as long as every loop makes progress; otherwise keeps
// silent, and the manager ends and restarts the process. A bare timer would keep a dead daemon
// alive.
// Concurrency model: `loops` guards the list; one thread looks, judges and pings, and keeps the
// judge.

package import Journald
internal import Linux
internal import Synchronization

package final class Watchdog: Sendable {
  private let socket: NotifySocket
  private let period: Duration
  private let loops = Mutex<[Heartbeat]>([])

  /// Nil where the manager does not ask for it.
  package init?(socket: NotifySocket?, environment: [String: String], process: Int32) {
    guard let socket,
      let period = NotifySocket.watchdogPeriod(environment: environment, process: process)
    else { return nil }
    self.socket = socket
    self.period = period
  }

  package func register(_ loop: Heartbeat) { loops.withLock { $0.append(loop) } }

  package func start() {
    OwnThread.start("watchdog") {
      var judge = WatchdogJudge()
      while true {
        let seen = self.loops.withLock { $0.map(\.doing) }
        if judge.look(seen).isEmpty {
          try? self.socket.send([.watchdog], patience: self.period / 4)
        }
        _ = try? Poll.wait([], for: self.period / 2)
      }
    }
  }
}
