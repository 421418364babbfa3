// SPDX-License-Identifier: Apache-2.0
// One caller's conversation, as a value: no socket, no clock.

import Testing

@testable import Steer

struct SessionTests {
  private static let limit = 256

  private func session() -> ControlSession {
    ControlSession(requestLimit: Self.limit, at: .zero)
  }

  private func request(_ name: String, more: Bool = false, oneway: Bool = false) -> [UInt8] {
    ControlRequest(method: name, more: more, oneway: oneway).bytes
  }

  @Test
  func `requests sent at once are served one after the other`() {
    var session = session()
    session.receive(request("a") + request("b"), at: .zero)
    #expect(session.nextRequest(at: .zero)?.method == "a")
    #expect(session.nextRequest(at: .zero) == nil)
    session.answer([1, 0], isLast: true, at: .zero)
    #expect(session.nextRequest(at: .zero) == nil, "the first reply is not written yet")
    session.wrote(2, at: .zero)
    #expect(session.nextRequest(at: .zero)?.method == "b")
  }

  @Test
  func `while a request is served nothing more is read`() {
    var session = session()
    #expect(session.wantsInput)
    session.receive(request("a"), at: .zero)
    _ = session.nextRequest(at: .zero)
    #expect(!session.wantsInput)
    session.answer([1, 0], isLast: true, at: .zero)
    #expect(!session.wantsInput)
    session.wrote(2, at: .zero)
    #expect(session.wantsInput)
  }

  @Test
  func `a caller that sends no more still gets its answer`() {
    var session = session()
    session.receive(request("a"), at: .zero)
    session.end()
    #expect(session.nextRequest(at: .zero) != nil)
    #expect(!session.isOver)
    session.answer([1, 0], isLast: true, at: .zero)
    #expect(!session.isOver)
    session.wrote(2, at: .zero)
    #expect(session.nextRequest(at: .zero) == nil)
    #expect(session.isOver)
  }

  @Test
  func `a oneway request is served and not answered`() {
    var session = session()
    session.receive(request("a", oneway: true), at: .zero)
    #expect(session.nextRequest(at: .zero)?.oneway == true)
    session.answer([1, 0], isLast: true, at: .zero)
    #expect(!session.hasOutput)
  }

  @Test
  func `what a caller asked before it left is done, streams are not begun`() {
    var session = session()
    session.receive(request("a", more: true) + request("b", oneway: true), at: .zero)
    session.leave()
    #expect(session.nextRequest(at: .zero)?.method == "b")
    session.answer([1, 0], isLast: true, at: .zero)
    #expect(!session.hasOutput)
  }

  @Test(
    "what is no message is answered with the reason, then the conversation is over",
    arguments: [
      ([0x7B, 0x00], "it is not valid JSON: it ends too early (byte 1)"),
      ([UInt8](repeating: 0x20, count: 257), "it has more than 256 bytes"),
      ([0x00], "it is not valid JSON: it ends too early (byte 0)"),
    ])
  func garbage(bytes: [UInt8], why: String) throws {
    var session = session()
    session.receive(bytes, at: .zero)
    #expect(session.nextRequest(at: .zero) == nil)
    let answer = try ControlAnswer(reading: Array(session.unwritten.dropLast()))
    #expect(answer.error == "io.darkroom.Control.NotPossible")
    #expect(answer.parameters["why"] == .string("the message cannot be understood: \(why)"))
    #expect(!session.wantsInput && !session.isOver)
    session.wrote(session.unwritten.count, at: .zero)
    #expect(session.isOver)
  }

  @Test
  func `a caller has time for half a message from its first byte on, and none is counted else`() {
    var session = session()
    #expect(session.deadline(patience: .seconds(30)) == nil)
    session.receive([0x7B], at: .seconds(5))
    session.receive([0x20], at: .seconds(20))
    #expect(session.deadline(patience: .seconds(30)) == .seconds(35))
    session.receive(Array("\"method\":\"a\"}".utf8) + [0], at: .seconds(21))
    _ = session.nextRequest(at: .seconds(21))
    #expect(session.deadline(patience: .seconds(30)) == nil, "now it waits for us")
    session.answer([1, 2, 0], isLast: true, at: .seconds(60))
    #expect(session.deadline(patience: .seconds(30)) == .seconds(90))
    session.wrote(1, at: .seconds(70))
    #expect(session.deadline(patience: .seconds(30)) == .seconds(100))
    session.wrote(2, at: .seconds(71))
    #expect(session.deadline(patience: .seconds(30)) == nil)
  }
}
