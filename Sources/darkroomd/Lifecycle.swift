// SPDX-License-Identifier: Apache-2.0
// The main thread: waits for signals and for the end, with no time-out. SIGTERM and SIGINT stop, a
// second one stops at once; SIGHUP reloads.

import Linux
import Report
import Vocabulary

struct Lifecycle {
  let darkroom: Darkroom
  let signals: Signals
  let ends: EndSignal
  let pulse: Heartbeat

  /// Returns the exit code.
  func run() -> Int32 {
    var code = ExitCode.done
    var isStopping = false
    func stop() {
      isStopping = true
      let (darkroom, ends) = (darkroom, ends)
      TaskHome.start {
        await darkroom.stop()
        ends.end(.stopped)
      }
    }
    while true {
      pulse.idle()
      _ = try? Poll.wait([Poll.Watch(signals.descriptor), Poll.Watch(ends.descriptor)], for: nil)
      pulse.busy()
      while let signal = signals.next() {
        switch signal {
        case Signals.hangup: _ = try? darkroom.reload()
        case _ where isStopping: return code
        default: stop()
        }
      }
      for end in ends.take() {
        switch end {
        case .stopped: return code
        case .journalDied(let failure):
          darkroom.teller.tell(.journalUnwritable(failure))
          darkroom.reporter.flush(within: .seconds(1))
          return ExitCode.io
        case .idle(let idleCode):
          code = idleCode
          if !isStopping { stop() }
        }
      }
    }
  }
}
