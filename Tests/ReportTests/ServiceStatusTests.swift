// SPDX-License-Identifier: Apache-2.0
// The messages to the service manager and their times, and the silence of the watchdog.

import Linux
import Report
import Support
import Synchronization
import Systemd
import Testing
import Vocabulary

@Suite final class ServiceStatusTests: Sendable {
  private let told = Mutex<[String]>([])

  @Test(
    "every message has the words of the protocol",
    arguments: [
      (.ready, "READY=1"), (.status("3 lists"), "STATUS=3 lists"), (.stopping, "STOPPING=1"),
      (.status("a\nREADY=1"), "STATUS=a\\nREADY=1"),
      (.reloading(monotonicMicroseconds: 17), "RELOADING=1\nMONOTONIC_USEC=17"),
      (.watchdog, "WATCHDOG=1"),
    ] as [(ServiceNotice, String)])
  func texts(notice: ServiceNotice, text: String) { #expect(notice.text == text) }

  @Test
  func `ready, reloading and stopping are sent in order, and the status line when it changes`()
    throws
  {
    let status = try ServiceStatus { [self] notice in told.withLock { $0.append(notice.text) } }
    status.set("1 list")
    status.ready()
    status.set("1 list")
    status.stopping()
    status.set("2 lists")
    status.reloading()
    let texts = told.withLock { $0 }
    #expect(texts.dropLast() == ["STATUS=1 list", "READY=1", "STOPPING=1", "STATUS=2 lists"])
    #expect(texts.last?.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") == true)
  }

  @Test func `a manager that does not read delays no caller, and gets the newest line`() throws {
    let (reached, opened) = (try WakeEvent(), try WakeEvent())
    let status = try ServiceStatus { [self] notice in
      reached.ring()
      _ = try? Poll.wait([Poll.Watch(opened.descriptor)], for: nil)
      told.withLock { $0.append(notice.text) }
    }
    status.set("0 lists")
    _ = try Poll.wait([Poll.Watch(reached.descriptor)], for: Patience.time)
    for count in 1...1000 { status.set("\(count) lists") }
    opened.ring()
    status.ready()
    #expect(told.withLock { $0 } == ["STATUS=0 lists", "STATUS=1000 lists", "READY=1"])
  }

  @Test func `without a manager nothing is sent, and no call waits`() {
    ServiceStatus.unheard.ready()
    ServiceStatus.unheard.set("1 list")
    ServiceStatus.unheard.stopping()
  }

  @Test(arguments: [([:], false), (["NOTIFY_SOCKET": ""], false), (["NOTIFY_SOCKET": "@x"], true)])
  func `a manager is there if it has named its socket`(
    environment: [String: String], isThere: Bool
  ) {
    #expect(ServiceNotice.isWanted(environment) == isThere)
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

  @Test func `the work that has not ended is named, the newest first`() {
    let beat = Heartbeat()
    #expect(beat.work.isEmpty)
    beat.begin("a message of user 1000", at: 1)
    beat.begin("Show of user 1001", at: 2)
    beat.begin("Find of user 1000", at: 1)
    #expect(beat.work == "Find of user 1000, Show of user 1001")
    beat.end(1)
    #expect(beat.work == "Show of user 1001")
    for number: UInt64 in 3...9 { beat.begin("Why of user 0", at: number) }
    #expect(beat.work.hasSuffix("Why of user 0 and 3 more"))
  }

  @Test func `a manager that asked for pings gets them while the loops make progress`() async throws
  {
    await Reply.wait { reply in
      let left = Mutex(3)
      let watchdog = Watchdog(every: .milliseconds(20)) {
        if left.withLock({
          $0 -= 1; return $0
        }) == 0 {
          reply.give(())
        }
      }
      #expect(throws: Never.self) { try watchdog.start([Heartbeat()]) { _ in } }
    }
  }

  @Test func `a stuck loop ends a process whose manager asked for no pings, after several looks`()
    async throws
  {
    let beat = Heartbeat()
    beat.busy()
    await Reply.wait { reply in
      #expect(throws: Never.self) {
        try Watchdog(every: .milliseconds(20)).start([beat]) { _ in reply.give(()) }
      }
    }
  }
}
