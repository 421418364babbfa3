// SPDX-License-Identifier: Apache-2.0
// The messages to the service manager and their times, and the silence of the watchdog.

import Journald
import Linux
import Report
import Support
import Synchronization
import Testing
import Vocabulary

@Suite struct ServiceStatusTests {
  @Test func `ready, reloading and stopping are sent, the status line only when it changes`()
    throws
  {
    let folder = try FreshFolder.forSockets()
    let listener = try DatagramSocket(at: "\(folder.path)/notify")
    let status = ServiceStatus(
      socket: NotifySocket(environment: ["NOTIFY_SOCKET": "\(folder.path)/notify"]))
    status.ready()
    #expect(try listener.next()?.text == "READY=1")
    for line in ["1 list", "1 list", "2 lists", "1 list"] { status.set(line) }
    for line in ["1 list", "2 lists", "1 list"] {
      #expect(try listener.next()?.text == "STATUS=\(line)")
    }
    status.stopping()
    #expect(try listener.next()?.text == "STOPPING=1")
    status.reloading()
    #expect(try #require(try listener.next()).text.hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
    #expect(try listener.receive() == nil)
  }

  @Test func `without a manager nothing is sent, and no call waits`() {
    let status = ServiceStatus(socket: nil)
    status.ready()
    status.set("1 list")
    status.stopping()
  }

  @Test func `the progress of each list is reported every few seconds`() {
    var throttle = ProgressThrottle(interval: .seconds(5))
    let (a, b) = (ListID(1), ListID(2))
    throttle.begin(a, at: .zero)
    let answers = [(a, 4), (a, 5), (a, 9), (b, 9), (a, 10)].map { list, time in
      throttle.admits(list, at: .seconds(time))
    }
    #expect(answers == [false, true, false, true, true])
  }

  @Test func `a list that is done leaves nothing in the throttle`() {
    var throttle = ProgressThrottle(interval: .seconds(5))
    throttle.begin(ListID(1), at: .zero)
    throttle.end(ListID(1))
    #expect(throttle == ProgressThrottle(interval: .seconds(5)))
  }
}

@Suite struct WatchdogTests {
  @Test(
    "a loop is stuck if one turn is seen a third time; an idle loop never is",
    arguments: [
      ([[.idle], [.idle], [.idle], [.idle]], []),
      ([[.busy(turn: 1)], [.busy(turn: 2)], [.busy(turn: 3)], [.busy(turn: 4)]], []),
      ([[.busy(turn: 1)], [.busy(turn: 1)]], []),
      ([[.busy(turn: 1)], [.busy(turn: 1)], [.busy(turn: 1)]], [0]),
      ([[.busy(turn: 1)], [.busy(turn: 1)], [.busy(turn: 1)], [.busy(turn: 2)]], []),
      ([[.busy(turn: 1)], [.busy(turn: 1)], [.idle], [.busy(turn: 1)]], []),
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

  @Test func `a loop shows whether it is idle or busy`() {
    let beat = Heartbeat()
    #expect(beat.doing == .idle)
    beat.busy()
    #expect(beat.doing == .busy(turn: 1))
    beat.busy()
    #expect(beat.doing == .busy(turn: 2))
    beat.idle()
    #expect(beat.doing == .idle)
  }

  @Test func `the manager gets WATCHDOG=1 while the loops make progress`() throws {
    let folder = try FreshFolder.forSockets()
    let listener = try DatagramSocket(at: "\(folder.path)/notify")
    let environment = ["NOTIFY_SOCKET": "\(folder.path)/notify", "WATCHDOG_USEC": "200000"]
    let watchdog = try #require(
      Watchdog(
        socket: NotifySocket(environment: environment), environment: environment, process: 1))
    try watchdog.start([Heartbeat()]) {}
    for _ in 0..<3 { #expect(try listener.next()?.text == "WATCHDOG=1") }
  }

  @Test func `without a manager there is no watchdog`() {
    #expect(Watchdog(socket: nil, environment: ["WATCHDOG_USEC": "1"], process: 1) == nil)
  }

  @Test func `a stuck loop ends a process whose manager asked for no pings, after several looks`()
    async throws
  {
    let folder = try FreshFolder.forSockets()
    let listener = try DatagramSocket(at: "\(folder.path)/notify")
    let socket = NotifySocket(environment: ["NOTIFY_SOCKET": "\(folder.path)/notify"])
    let watchdog = try #require(
      Watchdog(socket: socket, environment: [:], process: 1, usual: .milliseconds(20)))
    let beat = Heartbeat()
    beat.busy()
    await Reply.wait { reply in
      #expect(throws: Never.self) { try watchdog.start([beat]) { reply.give(()) } }
    }
    #expect(try listener.receive() == nil)
  }
}
