// SPDX-License-Identifier: Apache-2.0
// The daemon's life as the process sees it: waits, without a time-out, for signals and for reasons to end.
// SIGTERM and SIGINT stop the daemon, a second one ends it at once; SIGHUP reloads. Raises nothing.
// Concurrency: a task of the reactor.

import Linux
import Report
import Vocabulary

struct Lifecycle {
  enum End: Sendable {
    case journalDied(Failure)
    case idle(Int32)
    case stopped
  }

  let darkroom: Darkroom
  let signals: Signals
  let ends: Mailbox<End>
  let stop: StopFlag
  let reporter: Reporter
  /// The exit code after a signal.
  var stopped = ExitCode.done

  /// Half of the service manager's patience.
  private static let longestStop = Duration.seconds(10)
  private static let late = Failure(
    .final, code: "stop.late",
    reason: "work that had begun has not ended within 10 seconds: "
      + "a disk, a mount or a server may not answer")

  /// Returns the exit code.
  func run(on reactor: Reactor) async -> Int32 {
    var code = stopped
    var deadline: Duration?
    while true {
      let watches = [Poll.Watch(signals.descriptor), Poll.Watch(ends.descriptor)]
      if stop.isOn, deadline == nil { deadline = MachineTime().uptime() + Self.longestStop }
      let found = await reactor.ready(
        watches, for: deadline.map { max(.zero, $0 - MachineTime().uptime()) })
      if let deadline, deadline <= MachineTime().uptime(), !found.contains(where: \.isReady) {
        // Everything that was reported is durable; the next start continues.
        reporter.report(.machineTrouble(Self.late, waits: "darkroomd ends without it"))
        reporter.flush(within: .seconds(1))
        return code
      }
      while let signal = signals.next() {
        switch signal {
        case Signals.hangup: darkroom.hangUp()
        case _ where stop.isOn: return code
        default: stop.turnOn()
        }
      }
      for end in ends.takeAll() {
        switch end {
        case .stopped: return code
        case .journalDied(let failure):
          reporter.report(.journalUnwritable(failure))
          reporter.flush(within: .seconds(1))
          return ExitCode.io
        case .idle(let idleCode):
          code = idleCode
          stop.turnOn()
        }
      }
    }
  }
}
