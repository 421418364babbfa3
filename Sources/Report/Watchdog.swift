// SPDX-License-Identifier: Apache-2.0
// Looks whether every loop makes progress. If one does not, the process must end, so that the service manager
// starts it again. A bare timer would keep a hung daemon alive. The thread counts its own looks, so a process
// that is frozen, stopped or suspended with its machine makes no loop look stuck. A manager that asks for pings
// (WatchdogSec=) judges by its own clock, and also ends a frozen process.
// Concurrency model: one thread samples, judges and pings; it owns the judge.

internal import Linux
package import Vocabulary

package final class Watchdog: Sendable {
  /// Without a period of the manager.
  package static let usualPeriod = Duration.seconds(30)

  private let period: Duration
  /// Tells a manager that asked for pings, and ends a process that sends none.
  private let ping: (@Sendable () -> Void)?

  /// - Parameter ping: nil if the manager has asked for none. It may wait as long as the manager does not read.
  package init(every period: Duration = Watchdog.usualPeriod, ping: (@Sendable () -> Void)? = nil) {
    (self.period, self.ping) = (period, ping)
  }

  /// - Parameter stuck: gets the places of the stuck loops, and ends the process; the manager does it otherwise.
  package func start(
    _ loops: [Heartbeat], stuck: @escaping @Sendable ([Int]) -> Void
  ) throws(SystemError) {
    try OwnThread.start("watchdog") {
      var judge = WatchdogJudge()
      while true {
        let found = judge.look(loops.map(\.doing))
        if found.isEmpty { self.ping?() }
        if !found.isEmpty, self.ping == nil { return stuck(found) }
        _ = try? Poll.wait([], for: self.period / 2)
      }
    }
  }
}
