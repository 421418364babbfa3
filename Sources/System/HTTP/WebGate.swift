// SPDX-License-Identifier: Apache-2.0
// Ends the connections of the web server that have no place any more. Shutting a socket down wakes the thread of its
// connection, which closes it; the gate hears of that before the number of the socket can be another one's.
// Concurrency model: one Mutex around the places and the time of the next look; a thread waits for that time.

internal import CMicrohttpd
internal import Linux
internal import Synchronization
internal import Vocabulary

final class WebGate: Sendable {
  private struct State {
    var places: WebPlaces
    /// When the thread looks next.
    var look: Duration?
  }

  private let state: Mutex<State>
  private let wake: WakeEvent
  private let clock = MachineTime()

  init(_ rules: WebPlaces.Rules) throws(SystemError) {
    state = Mutex(State(places: WebPlaces(rules)))
    wake = try WakeEvent()
  }

  /// Looks until the process ends.
  func start() throws(SystemError) {
    try OwnThread.start("places") { [self] in
      while true {
        let left = look()
        _ = try? Poll.wait([Poll.Watch(wake.descriptor)], for: left)
        wake.clear()
      }
    }
  }

  private func look() -> Duration? {
    let now = clock.uptime()
    return state.withLock { state in
      for socket in state.places.late(at: now) { dr_web_end_of(socket) }
      state.look = state.places.nextDue
      return state.look.map { max(.zero, $0 - now) }
    }
  }

  // MARK: events

  func came(_ socket: Int32) {
    change { places, now in
      if let oldest = places.came(socket, at: now) { dr_web_end_of(oldest) }
    }
  }

  func admits(_ socket: Int32, of caller: UInt32?) -> Bool {
    change { places, now in
      switch places.asked(socket, by: caller, at: now) {
      case .served: return true
      case .servedInsteadOf(let other):
        dr_web_end_of(other)
        return true
      case .crowded: return false
      }
    }
  }

  func began(_ socket: Int32) { change { $0.began(socket, at: $1) } }
  func answered(_ socket: Int32) { change { $0.answered(socket, at: $1) } }
  func left(_ socket: Int32) { change { places, _ in places.left(socket) } }

  private func change<Value: Sendable>(
    _ act: (inout WebPlaces, Duration) -> Value
  ) -> Value {
    let now = clock.uptime()
    let (value, isEarlier) = state.withLock { state in
      let value = act(&state.places, now)
      guard let due = state.places.nextDue else { return (value, false) }
      let isEarlier = state.look.map { due < $0 } ?? true
      if isEarlier { state.look = due }
      return (value, isEarlier)
    }
    if isEarlier { wake.ring() }
    return value
  }
}
