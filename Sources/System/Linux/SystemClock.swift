// SPDX-License-Identifier: Apache-2.0
// The real timekeeper: one boot-time timer, armed only while a call is pending. System sleep and clock
// changes do not affect it. It calls back from its reactor's thread or, without a reactor, from its own.
// Raises `SystemError` when made.
// Concurrency model: `state` guards the pending calls; callbacks run with it released and must not wait.

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
  }

  private struct Token: Cancellable {
    let clock: SystemClock
    let number: UInt64
    func cancel() { clock.state.withLock { $0.calls.removeAll { $0.token == number } } }
  }

  private let state = Mutex(State())
  private let timer: Descriptor

  /// Starts its own thread.
  package init() throws(SystemError) {
    timer = try Self.makeTimer()
    try OwnThread.start("clock") {
      while true {
        _ = try? Poll.wait([Poll.Watch(self.timer.number)], for: nil)
        self.callDue()
      }
    }
  }

  /// Calls back from the reactor's thread.
  package init(on reactor: Reactor) throws(SystemError) {
    timer = try Self.makeTimer()
    reactor.start {
      while !Task.isCancelled {
        _ = await reactor.ready([Poll.Watch(self.timer.number)])
        self.callDue()
      }
    }
  }

  private static func makeTimer() throws(SystemError) -> Descriptor {
    Descriptor(owning: try Calls.run("timerfd_create", "clock") { dr_boot_timer() })
  }

  package func wallTime() -> UInt64 { MachineTime().wallTime() }
  package func uptime() -> Duration { MachineTime().uptime() }

  package func after(_ delay: Duration, _ act: @escaping @Sendable () -> Void) -> any Cancellable {
    let wait = max(0, delay.nanoseconds)
    let due = dr_boot_nanoseconds() + UInt64(wait)
    let token = state.withLock { state in
      state.nextToken += 1
      let place = state.calls.firstIndex { $0.due > due } ?? state.calls.endIndex
      state.calls.insert(Call(token: state.nextToken, due: due, act: act), at: place)
      if place == 0 { arm(due) }
      return state.nextToken
    }
    return Token(clock: self, number: token)
  }

  private func callDue() {
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

  private func arm(_ due: UInt64?) { _ = dr_boot_timer_set(timer.number, due ?? 0) }
}

/// Reads the clocks without a thread.
package struct MachineTime: TimeSource {
  package init() {}

  package func wallTime() -> UInt64 { dr_wall_milliseconds() }
  package func uptime() -> Duration { .nanoseconds(Int64(dr_boot_nanoseconds())) }
}
