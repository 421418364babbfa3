// SPDX-License-Identifier: Apache-2.0
// The real timekeeper: one thread, one boot-time timer, armed only while something is due. Sleep and
// clock changes do not disturb it.
// Concurrency model: `state` guards the pending calls; calls back from its own thread, lock released.

internal import CLinux
import Synchronization
package import Vocabulary

package final class SystemClock: Timekeeper {
  private struct Call {
    let token: UInt64
    let due: UInt64
    let act: @Sendable () -> Void
  }

  private struct State {
    var calls: [Call] = []
    var nextToken: UInt64 = 0
    var isStarted = false
  }

  private struct Token: Cancellable {
    let clock: SystemClock
    let number: UInt64
    func cancel() { clock.state.withLock { $0.calls.removeAll { $0.token == number } } }
  }

  private let state = Mutex(State())
  private let timer: Descriptor

  package init() throws(SystemError) {
    timer = Descriptor(owning: try Calls.run("timerfd_create", "clock") { dr_boot_timer() })
  }

  package func wallTime() -> UInt64 { dr_wall_milliseconds() }
  package func uptime() -> Duration { .nanoseconds(Int64(dr_boot_nanoseconds())) }

  package func after(_ delay: Duration, _ act: @escaping @Sendable () -> Void) -> any Cancellable {
    let wait = max(0, delay.nanoseconds)
    let due = dr_boot_nanoseconds() + UInt64(wait)
    let (token, starts) = state.withLock { state -> (UInt64, Bool) in
      state.nextToken += 1
      let place = state.calls.firstIndex { $0.due > due } ?? state.calls.endIndex
      state.calls.insert(Call(token: state.nextToken, due: due, act: act), at: place)
      arm(state.calls.first?.due)
      defer { state.isStarted = true }
      return (state.nextToken, !state.isStarted)
    }
    if starts { OwnThread.start("clock") { self.run() } }
    return Token(clock: self, number: token)
  }

  private func arm(_ due: UInt64?) { _ = dr_boot_timer_set(timer.number, due ?? 0) }

  private func run() {
    while true {
      _ = try? Poll.wait([Poll.Watch(timer.number)], for: nil)
      _ = dr_event_clear(timer.number)
      let due = state.withLock { state -> [Call] in
        let now = dr_boot_nanoseconds()
        let due = state.calls.prefix { $0.due <= now }
        state.calls.removeFirst(due.count)
        arm(state.calls.first?.due)
        return Array(due)
      }
      for call in due { call.act() }
    }
  }
}

extension Duration {
  package var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds.multipliedReportingOverflow(by: 1_000_000_000).overflow
      ? .max : seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }

  package var milliseconds: Int64 { nanoseconds / 1_000_000 }
}
