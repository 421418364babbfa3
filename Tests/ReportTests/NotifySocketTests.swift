// SPDX-License-Identifier: Apache-2.0
// The messages to the service manager, byte by byte, on a real socket.

import Journald
import Linux
import Support
import Testing
import Vocabulary

@Suite struct NotifySocketTests {
  @Test(
    "every message has the words of the protocol",
    arguments: [
      (.ready, "READY=1"), (.status("3 lists"), "STATUS=3 lists"), (.stopping, "STOPPING=1"),
      (.status("a\nREADY=1"), "STATUS=a\\nREADY=1"),
      (.reloading(monotonicMicroseconds: 17), "RELOADING=1\nMONOTONIC_USEC=17"),
      (.watchdog, "WATCHDOG=1"),
    ] as [(NotifySocket.Line, String)])
  func lines(line: NotifySocket.Line, text: String) { #expect(line.text == text) }

  @Test func `a manager that listens at a path gets the message`() throws {
    let folder = try FreshFolder.forSockets()
    let listener = try DatagramSocket(at: "\(folder.path)/notify")
    let socket = try #require(NotifySocket(environment: ["NOTIFY_SOCKET": "\(folder.path)/notify"]))
    try socket.send([.ready, .status("waiting for a list")])
    #expect(try listener.next()?.text == "READY=1\nSTATUS=waiting for a list")
  }

  @Test func `a manager that listens in the abstract namespace gets the message`() throws {
    let random = try ThisProcess.randomBytes(8).map { String($0, radix: 16) }.joined()
    let address = "@darkroom-test-\(random)"
    let listener = try DatagramSocket(at: address)
    let socket = try #require(NotifySocket(environment: ["NOTIFY_SOCKET": address]))
    try socket.send([.stopping])
    #expect(try listener.next()?.text == "STOPPING=1")
  }

  @Test(
    "without a manager, or with an address of another kind, there is no socket",
    arguments: [[:], ["NOTIFY_SOCKET": ""], ["NOTIFY_SOCKET": "vsock:2:1"], ["NOTIFY_SOCKET": "x"]])
  func nobody(environment: [String: String]) {
    #expect(NotifySocket(environment: environment) == nil)
  }

  @Test func `a manager that has gone is an error without a wait`() throws {
    let folder = try FreshFolder.forSockets()
    let socket = try #require(NotifySocket(environment: ["NOTIFY_SOCKET": "\(folder.path)/no"]))
    #expect(throws: SystemError.self) { try socket.send([.ready], patience: .seconds(60)) }
  }

  @Test(
    "the watchdog is ours only if it names us or no process",
    arguments: [
      (["WATCHDOG_USEC": "30000000"], .seconds(30)),
      (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7"], .seconds(30)),
      (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "8"], nil), (["WATCHDOG_USEC": "0"], nil),
      (["WATCHDOG_USEC": "-1"], nil), (["WATCHDOG_USEC": "soon"], nil), ([:], nil),
    ] as [([String: String], Duration?)])
  func watchdogPeriod(environment: [String: String], period: Duration?) {
    #expect(NotifySocket.watchdogPeriod(environment: environment, process: 7) == period)
  }
}
