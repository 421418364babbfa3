// SPDX-License-Identifier: Apache-2.0
// The conversation with one caller, as a value: no socket, no clock.

import Testing

@testable import Steer

struct SessionTests {
  private static let limit = 256

  private func session() -> ControlSession {
    ControlSession(requestLimit: Self.limit, at: .zero)
  }

  private func serve(
    _ session: inout ControlSession, at now: Duration = .zero
  ) -> ControlRequest? {
    while let message = session.nextMessage(at: now) {
      do throws(BadMessage) {
        let request = try ControlRequest(reading: message)
        let terms = ControlSession.Terms(
          isOneway: request.oneway, endsWithCaller: request.more)
        if session.begin(terms) { return request }
      } catch { session.refuse(error.why, at: now) }
    }
    return nil
  }

  private func request(_ name: String, more: Bool = false, oneway: Bool = false) -> [UInt8] {
    ControlRequest(method: name, more: more, oneway: oneway).bytes
  }

  @Test
  func `requests sent at once are served one after the other`() {
    var session = session()
    session.receive(request("a") + request("b"), at: .zero)
    let request1 = serve(&session)
    #expect(request1?.method == "a")
    let request2 = serve(&session)
    #expect(request2 == nil)
    session.answer([1, 0], isLast: true, at: .zero)
    let request3 = serve(&session)
    #expect(request3 == nil, "the first reply is not written yet")
    session.wrote(2, at: .zero)
    let request4 = serve(&session)
    #expect(request4?.method == "b")
  }

  @Test
  func `no more input is read while a request is served`() {
    var session = session()
    #expect(session.wantsInput)
    session.receive(request("a"), at: .zero)
    _ = serve(&session)
    #expect(!session.wantsInput)
    session.answer([1, 0], isLast: true, at: .zero)
    #expect(!session.wantsInput)
    session.wrote(2, at: .zero)
    #expect(session.wantsInput)
  }

  @Test
  func `a caller that has finished sending still gets its answer`() {
    var session = session()
    session.receive(request("a"), at: .zero)
    session.end()
    let request5 = serve(&session)
    #expect(request5 != nil)
    #expect(!session.isOver)
    session.answer([1, 0], isLast: true, at: .zero)
    #expect(!session.isOver)
    session.wrote(2, at: .zero)
    let request6 = serve(&session)
    #expect(request6 == nil)
    #expect(session.isOver)
  }

  @Test
  func `a oneway request is served but not answered`() {
    var session = session()
    session.receive(request("a", oneway: true), at: .zero)
    let request7 = serve(&session)
    #expect(request7?.oneway == true)
    session.answer([1, 0], isLast: true, at: .zero)
    #expect(!session.hasOutput)
  }

  @Test(arguments: [false, true])
  func `of the requests of a caller that has left the first one counts, and 9,999 are dropped`(
    isServing: Bool
  ) {
    var session = session()
    var served: [String] = []
    for number in 0..<10_000 { session.receive(request("\(number)", oneway: true), at: .zero) }
    if isServing { served += [serve(&session)?.method ?? ""] }
    session.leave()
    #expect(session.wantsInput == !isServing)
    for _ in 0..<10_000 {
      if isServing || !served.isEmpty { session.answer([], isLast: true, at: .zero) }
      session.receive(request("late", oneway: true), at: .zero)
      guard let next = serve(&session) else { break }
      served.append(next.method)
    }
    #expect(served == ["0"] && session.isOver && !session.wantsInput)
  }

  @Test func `a stream of a caller that has left is not begun, and nothing that follows it`() {
    var session = session()
    session.receive(request("a", more: true) + request("b", oneway: true), at: .zero)
    session.leave()
    let request8 = serve(&session)
    #expect(request8 == nil && session.isOver)
  }

  @Test
  func `a caller that leaves while its message is parsed gets its change, but no search`() {
    for (endsWithCaller, isServed) in [(true, false), (false, true)] {
      var session = session()
      session.receive(request("a"), at: .zero)
      #expect(session.nextMessage(at: .zero) != nil)
      #expect(
        !session.wantsInput && session.deadline(patience: .seconds(30), idle: .seconds(60)) == nil)
      session.leave()
      let terms = ControlSession.Terms(isOneway: false, endsWithCaller: endsWithCaller)
      #expect(session.begin(terms) == isServed && session.isRunning == isServed)
    }
  }

  @Test(
    "a bad message is answered with the reason, then the conversation ends",
    arguments: [
      ([0x7B, 0x00], "it is not valid JSON: it ends too early (byte 1)"),
      ([UInt8](repeating: 0x20, count: 257), "it has more than 256 bytes"),
      ([0x00], "it is not valid JSON: it ends too early (byte 0)"),
    ])
  func garbage(bytes: [UInt8], why: String) throws {
    var session = session()
    session.receive(bytes, at: .zero)
    let request9 = serve(&session)
    #expect(request9 == nil)
    let answer = try ControlAnswer(reading: Array(session.unwritten.dropLast()))
    #expect(answer.error == "io.darkroom.Control.NotPossible")
    #expect(answer.parameters["why"] == .string("the message is not valid: \(why)"))
    #expect(!session.wantsInput && !session.isOver)
    session.wrote(session.unwritten.count, at: .zero)
    #expect(session.isOver)
  }

  @Test
  func `the time limit counts from the first byte of half a message, or for an unread answer`() {
    var session = session()
    func deadline() -> Duration? { session.deadline(patience: .seconds(30), idle: .seconds(60)) }
    #expect(deadline() == .seconds(60), "no request has come")
    session.receive([0x7B], at: .seconds(5))
    session.receive([0x20], at: .seconds(20))
    #expect(deadline() == .seconds(35))
    session.receive(Array("\"method\":\"a\"}".utf8) + [0], at: .seconds(21))
    _ = serve(&session, at: .seconds(21))
    #expect(deadline() == nil, "now it waits for us")
    session.answer([1, 2, 0], isLast: true, at: .seconds(60))
    #expect(deadline() == .seconds(90))
    session.wrote(1, at: .seconds(70))
    #expect(deadline() == .seconds(90), "of the whole answer: no byte renews it")
    session.wrote(2, at: .seconds(71))
    #expect(deadline() == .seconds(131), "it waits for the next request")
  }

  @Test func `a long answer has as much more time as a slow caller needs`() {
    var session = session()
    session.receive(request("a"), at: .zero)
    _ = serve(&session)
    session.answer([UInt8](repeating: 1, count: 1 << 20), isLast: true, at: .zero)
    for second in 1...45 as ClosedRange<Int64> {
      session.wrote(1, at: .seconds(second))
      #expect(session.deadline(patience: .seconds(30), idle: .seconds(60)) == .seconds(46))
    }
  }

  @Test func `an answer is held from the time that its room is kept to its last byte`() {
    var session = session()
    session.receive(request("a"), at: .zero)
    _ = serve(&session)
    #expect(session.held == 0)
    session.reserve(100)
    #expect(session.held == 100)
    session.answer([1, 2, 3], isLast: true, at: .zero)
    #expect(session.held == 3)
    session.wrote(2, at: .zero)
    #expect(session.held == 3, "its memory is not yet free")
    session.wrote(1, at: .zero)
    #expect(session.held == 0)
    session.reserve(100)
    session.leave()
    #expect(session.held == 0)
  }

  @Test(arguments: [false, true])
  func `a session is idle without a request, and while one is incomplete`(isOneway: Bool) {
    var session = session()
    #expect(session.idleSince == .zero)
    session.receive([0x20], at: .seconds(5))
    #expect(session.idleSince == .seconds(5))
    session.receive(request("a", more: !isOneway, oneway: isOneway), at: .seconds(6))
    _ = serve(&session, at: .seconds(6))
    #expect(session.idleSince == nil, "a stream is served, however long it says nothing")
    session.answer([1, 0], isLast: true, at: .seconds(100))
    if !isOneway {
      #expect(session.idleSince == nil)
      session.wrote(2, at: .seconds(100))
    }
    #expect(session.idleSince == .seconds(100))
    session.leave()
    #expect(session.idleSince == nil)
  }

  @Test
  func `a method that is planned is answered as not implemented`() {
    let router = ControlRouter(version: "1")
    for name in ControlInterface.reserved {
      let request = ControlRequest(method: "\(ControlInterface.name).\(name)")
      guard case .answer(let answer) = router.route(request) else {
        Issue.record("\(name) is a call")
        continue
      }
      #expect(answer == ControlAnswer(.failed(.methodNotImplemented(name))))
    }
  }
}
