// SPDX-License-Identifier: Apache-2.0
// Pings the service manager's watchdog as long as every loop makes progress. Otherwise it stays silent, and
// the manager kills and restarts the process. A bare timer would keep a hung daemon alive.
// Concurrency model: one thread samples, judges and pings; it owns the judge.

package import Journald
internal import Linux
package import Vocabulary

package final class Watchdog: Sendable {
  private let socket: NotifySocket
  private let period: Duration

  /// Nil when the manager set no watchdog.
  package init?(socket: NotifySocket?, environment: [String: String], process: Int32) {
    guard let socket,
      let period = NotifySocket.watchdogPeriod(environment: environment, process: process)
    else { return nil }
    self.socket = socket
    self.period = period
  }

  package func start(_ loops: [Heartbeat]) throws(SystemError) {
    try OwnThread.start("watchdog") {
      var judge = WatchdogJudge()
      while true {
        let seen = loops.map(\.doing)
        if judge.look(seen).isEmpty {
          try? self.socket.send([.watchdog], patience: self.period / 4)
        }
        _ = try? Poll.wait([], for: self.period / 2)
      }
    }
  }
}
