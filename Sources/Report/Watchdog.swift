// SPDX-License-Identifier: Apache-2.0
// Looks whether every loop makes progress. If one does not, the process must end, so that the service manager
// starts it again. A bare timer would keep a hung daemon alive. The thread counts its own looks, so a process
// that is frozen, stopped or suspended with its machine makes no loop look stuck. A manager that asks for pings
// (WatchdogSec=) judges by its own clock, and also ends a frozen process.
// Concurrency model: one thread samples, judges and pings; it owns the judge.

package import Journald
internal import Linux
package import Vocabulary

package final class Watchdog: Sendable {
  /// Without a period of the manager.
  package static let usualPeriod = Duration.seconds(30)

  private let socket: NotifySocket
  private let period: Duration
  /// The manager asked for pings, and ends a process that sends none.
  private let isManaged: Bool

  /// Nil without a manager: nothing would start the process again.
  package init?(
    socket: NotifySocket?, environment: [String: String], process: Int32,
    usual: Duration = Watchdog.usualPeriod
  ) {
    guard let socket else { return nil }
    let asked = NotifySocket.watchdogPeriod(environment: environment, process: process)
    self.socket = socket
    (period, isManaged) = (asked ?? usual, asked != nil)
  }

  /// - Parameter stuck: ends the process; the manager does it otherwise.
  package func start(
    _ loops: [Heartbeat], stuck: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    try OwnThread.start("watchdog") {
      var judge = WatchdogJudge()
      while true {
        let isWell = judge.look(loops.map(\.doing)).isEmpty
        if isWell, self.isManaged {
          try? self.socket.send([.watchdog], patience: self.period / 4)
        }
        if !isWell, !self.isManaged { return stuck() }
        _ = try? Poll.wait([], for: self.period / 2)
      }
    }
  }
}
