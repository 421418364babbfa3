// SPDX-License-Identifier: Apache-2.0
// When the service manager is told what, and when the watchdog keeps silent.

import Journald
import Linux
import Report
import Synchronization
import Testing
import Vocabulary

/// A clock that stands still until it is moved.
private final class StillClock: Timekeeper {
  private struct State {
    var now: Duration = .seconds(100)
    var calls: [(due: Duration, act: @Sendable () -> Void)] = []
  }

  private struct Token: Cancellable {
    func cancel() {}
  }

  private let state = Mutex(State())

  func wallTime() -> UInt64 { 0 }
  func uptime() -> Duration { state.withLock { $0.now } }

  func after(_ delay: Duration, _ act: @escaping @Sendable () -> Void) -> any Cancellable {
    state.withLock { $0.calls.append(($0.now + delay, act)) }
    return Token()
  }

  func advance(_ time: Duration) {
    let due = state.withLock { state in
      state.now += time
      defer { state.calls.removeAll { $0.due <= state.now } }
      return state.calls.filter { $0.due <= state.now }
    }
    for call in due { call.act() }
  }
}

@Suite struct ServiceStatusTests {
  @Test func `ready, reloading and stopping are told at once, the status at most once a second`()
    throws
  {
    let folder = try ScratchFolder()
    let listener = try folder.listen("notify")
    let clock = StillClock()
    let status = ServiceStatus(
      socket: NotifySocket(environment: ["NOTIFY_SOCKET": "\(folder.path)/notify"]), clock: clock)
    status.ready()
    #expect(text(try next(listener)) == "READY=1")
    status.set("1 list")
    status.set("1 list")
    status.set("2 lists")
    status.set("3 lists")
    status.stopping()
    #expect(text(try next(listener)) == "STATUS=1 list")
    #expect(text(try next(listener)) == "STOPPING=1")
    clock.advance(.seconds(1))
    #expect(text(try next(listener)) == "STATUS=3 lists")
    status.reloading()
    #expect(text(try next(listener)).hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
    status.extend(.seconds(5))
    #expect(text(try next(listener)) == "EXTEND_TIMEOUT_USEC=5000000")
    #expect(try listener.receive() == nil)
  }

  @Test func `without a manager nothing is told and nothing is waited for`() {
    let status = ServiceStatus(socket: nil, clock: StillClock())
    status.ready()
    status.set("1 list")
    status.stopping()
  }

  @Test func `a status that returns to what it was is not sent again`() {
    var throttle = StatusThrottle()
    let actions = [
      throttle.set("a", at: .zero), throttle.set("b", at: .milliseconds(300)),
      throttle.set("c", at: .milliseconds(400)), throttle.set("a", at: .milliseconds(500)),
      throttle.due(at: .seconds(1)), throttle.set("d", at: .seconds(2)),
      throttle.set("d", at: .seconds(9)),
    ]
    #expect(
      actions == [
        .send("a"), .wait(.milliseconds(700)), .nothing, .nothing, .nothing, .send("d"), .nothing,
      ])
  }

  @Test func `progress of a list is told every few seconds, of each list for itself`() {
    var throttle = ProgressThrottle(interval: .seconds(5))
    let (a, b) = (ListID(1), ListID(2))
    throttle.begin(a, at: .zero)
    let answers = [(a, 4), (a, 5), (a, 9), (b, 9), (a, 10)].map { list, time in
      throttle.admits(list, at: .seconds(time))
    }
    #expect(answers == [false, true, false, true, true])
  }

  @Test func `a list that is done leaves nothing behind in the throttle`() {
    var throttle = ProgressThrottle(interval: .seconds(5))
    throttle.begin(ListID(1), at: .zero)
    throttle.end(ListID(1))
    #expect(throttle == ProgressThrottle(interval: .seconds(5)))
  }
}

@Suite struct WatchdogTests {
  @Test(
    "a loop is stuck when one turn is seen a third time; idle loops and disk calls never are",
    arguments: [
      ([[.idle], [.idle], [.idle], [.idle]], []),
      ([[.busy(turn: 1)], [.busy(turn: 2)], [.busy(turn: 3)], [.busy(turn: 4)]], []),
      ([[.busy(turn: 1)], [.busy(turn: 1)]], []),
      ([[.busy(turn: 1)], [.busy(turn: 1)], [.busy(turn: 1)]], [0]),
      ([[.busy(turn: 1)], [.busy(turn: 1)], [.busy(turn: 1)], [.busy(turn: 2)]], []),
      ([[.busy(turn: 1)], [.busy(turn: 1)], [.idle], [.busy(turn: 1)]], []),
      ([[.inDiskCall], [.inDiskCall], [.inDiskCall], [.inDiskCall]], []),
      (
        [
          [.idle, .busy(turn: 7)], [.busy(turn: 1), .busy(turn: 7)],
          [.busy(turn: 2), .busy(turn: 7), .busy(turn: 1)],
        ], [1]
      ),
    ] as [([[Heartbeat.Doing]], [Int])])
  func judgement(looks: [[Heartbeat.Doing]], stuck: [Int]) {
    var judge = WatchdogJudge()
    var last: [Int] = []
    for look in looks { last = judge.look(look) }
    #expect(last == stuck)
  }

  @Test func `a loop says what it is doing`() {
    let beat = Heartbeat("inbox")
    #expect(beat.doing == .idle)
    beat.busy()
    #expect(beat.doing == .busy(turn: 1))
    beat.inDiskCall { #expect(beat.doing == .inDiskCall) }
    #expect(beat.doing == .busy(turn: 2))
    beat.idle()
    #expect(beat.doing == .idle)
  }

  @Test func `the manager hears from us while the loops go on`() throws {
    let folder = try ScratchFolder()
    let listener = try folder.listen("notify")
    let environment = ["NOTIFY_SOCKET": "\(folder.path)/notify", "WATCHDOG_USEC": "200000"]
    let watchdog = try #require(
      Watchdog(
        socket: NotifySocket(environment: environment), environment: environment, process: 1))
    watchdog.register(Heartbeat("inbox"))
    watchdog.start()
    for _ in 0..<3 { #expect(text(try next(listener)) == "WATCHDOG=1") }
  }

  @Test func `a manager without a watchdog gets no thread`() {
    let socket = NotifySocket(environment: ["NOTIFY_SOCKET": "/x"])
    #expect(Watchdog(socket: socket, environment: [:], process: 1) == nil)
    #expect(Watchdog(socket: nil, environment: ["WATCHDOG_USEC": "1"], process: 1) == nil)
  }
}
