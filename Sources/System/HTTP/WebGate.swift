// SPDX-License-Identifier: Apache-2.0
// Ends the connections of the web server that have no place any more. Shutting a socket down wakes the thread of its
// connection, which closes the socket. The gate learns of the close before another connection can get the number of
// the socket.
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
    /// The signals of the connections whose callers wait for a place.
    var bells: [Int32: WakeEvent] = [:]
  }

  private let state: Mutex<State>
  private let wake: WakeEvent
  private let clock = MachineTime()
  private let turn: Duration

  init(_ rules: WebPlaces.Rules) throws(SystemError) {
    state = Mutex(State(places: WebPlaces(rules)))
    wake = try WakeEvent()
    turn = rules.turn
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

  /// Waits for a place while all connections of the caller are busy. The wait ends after a turn, or when the caller
  /// has left.
  func admits(_ socket: Int32, of caller: UInt32?) -> WebPlaces.Verdict {
    let verdict = ask(socket, caller)
    guard verdict == .crowded, let bell = try? WakeEvent() else { return verdict }
    state.withLock { $0.bells[socket] = bell }
    defer { state.withLock { $0.bells[socket] = nil } }
    let end = clock.uptime() + turn
    while true {
      bell.clear()
      let (verdict, left) = (ask(socket, caller), end - clock.uptime())
      guard verdict == .crowded, left > .zero else { return verdict }
      let watches = [Poll.Watch(bell.descriptor), Poll.Watch(endOf: socket)]
      guard let found = try? Poll.wait(watches, for: left), !found[1].isClosed else {
        return .crowded
      }
    }
  }

  private func ask(_ socket: Int32, _ caller: UInt32?) -> WebPlaces.Verdict {
    change { places, now in
      let verdict = places.asked(socket, by: caller, at: now)
      if case .servedInsteadOf(let other) = verdict { dr_web_end_of(other) }
      return verdict
    }
  }

  func began(_ socket: Int32) { change { $0.began(socket, at: $1) } }

  func answered(_ socket: Int32) {
    change { $0.answered(socket, at: $1) }
    callWaiting()
  }

  func left(_ socket: Int32) {
    change { places, _ in places.left(socket) }
    callWaiting()
  }

  private func callWaiting() {
    for bell in state.withLock({ Array($0.bells.values) }) { bell.ring() }
  }

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
