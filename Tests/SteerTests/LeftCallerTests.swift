// SPDX-License-Identifier: Apache-2.0
// A caller leaves changes alone behind, one for each connection, however much it sent.

import Linux
import Support
import Testing
import Vocabulary

@testable import Steer

struct LeftCallerTests {
  private static let changes = [
    "Pause", "Resume", "Cancel", "SetQuality", "Unfocus", "Retry", "Remove", "Sheet", "Reload",
    "Cache", "Flush", "Drain",
  ]

  private let place: FreshFolder
  private var path: String { "\(place.path)/control" }
  private let clock: SystemClock

  init() throws {
    place = try FreshFolder.forSockets()
    clock = try SystemClock()
  }

  /// The server sees what happened before the connection when it answers.
  private func visit() async throws {
    let path = path
    let answers = try await onOwnThread {
      let line = try RawLine(path: path)
      try line.send(ControlRequest(method: "org.varlink.service.GetInfo").bytes)
      line.finish()
      return try line.answersToEnd().count
    }
    #expect(answers == 1)
  }

  @Test func `the methods that change something are these, and the description names them`() throws
  {
    let changes = Self.changes
    #expect(Set(ControlInterface.methods.filter { $0.isChange }.map { $0.name }) == Set(changes))
    let text = try #require(ControlInterface.description(of: ControlInterface.name))
    let words = text.split { $0.isWhitespace || $0 == "#" }.joined(separator: " ")
    let named = changes.dropLast().joined(separator: ", ") + " and \(changes.last ?? "")"
    #expect(words.contains("\(named) are carried out even if their caller has left."))
  }

  /// A status is the call that shows that the server goes on.
  private static let calls = MessageTests.calls.filter { !($0 is StatusOrder) }

  @Test(arguments: calls, [false, true])
  func `a call goes on without its caller only if it changes something`(
    call: any ControlMethod, more: Bool
  ) async throws {
    let daemon = PatientDaemon()
    let server = try RunningServer(
      path: path, handler: daemon, clock: clock, limits: ControlLimits(farewell: Patience.time))
    var line: RawLine? = try RawLine(path: path)
    try line?.send(ControlRequest(call, more: more).bytes)
    #expect(await daemon.begun.wait { $0 == 1 })
    line = nil
    try await visit()
    daemon.mayEnd.change { $0 = true }
    #expect(await daemon.cancelled.wait { $0 == [!type(of: call).isChange] })
    server.stop()
    await server.stopped()
  }

  @Test func `a oneway call that changes nothing is not made`() async throws {
    let daemon = ScriptedDaemon()
    let server = try RunningServer(path: path, handler: daemon, clock: clock)
    let path = path
    try await onOwnThread {
      let line = try RawLine(path: path)
      for call in Self.calls {
        var request = ControlRequest(call)
        request.oneway = true
        try line.send(request.bytes)
      }
      line.finish()
      #expect(try line.bytesToEnd().isEmpty)
    }
    let changes = Self.calls.filter { type(of: $0).isChange }
    #expect(daemon.calls == changes.map { ControlRequest($0) })
    server.stop()
    await server.stopped()
  }

  /// Two long replies of a user have room at once.
  @Test(
    arguments: [(PauseOrder(list: ListReference("17")), 20), (ListsOrder(), 2)]
      as [(any ControlMethod, Int)])
  func `a user who queues 10,000 calls and leaves has at most one made a connection`(
    call: any ControlMethod, made: Int
  ) async throws {
    let daemon = ScriptedDaemon(holding: true)
    let server = try RunningServer(
      path: path, handler: daemon, clock: clock, limits: ControlLimits(farewell: Patience.time))
    var lines = try (0..<20).map { _ in try RawLine(path: path) }
    let request = ControlRequest(call)
    let requests = Array(repeating: request.bytes, count: 500).flatMap { $0 }
    for line in lines { try line.send(requests) }
    await daemon.reached(made)
    lines = []
    try await visit()
    daemon.release()
    // Ends when each connection has ended.
    server.stop()
    await server.stopped()
    // The room of a caller who has left may go to another one before the server sees that this one left.
    let calls = daemon.calls
    #expect(calls.count >= made && calls.count <= 20 && calls.allSatisfy { $0 == request })
  }

  @Test func `many lists are written in turns as one text`() async {
    let lists = (1...1000).map { number in
      var list = Samples.list
      list.id = UInt64(number)
      return list
    }
    for count in [0, 1, 256, 257, 512, 1000] {
      for continues in [false, true] {
        let reply = ControlReply.answer(ListsReply(Array(lists.prefix(count))))
        let bytes = await ControlAnswer.bytes(of: reply, continues: continues, upTo: .max)
        #expect(bytes == ControlAnswer(reply, continues: continues).bytes, "\(count)")
      }
    }
    let cut = await ControlAnswer.bytes(
      of: .answer(ListsReply(lists)), continues: false, upTo: 1000)
    #expect(cut.count > 1000 && cut.count < 256 * 1000)
  }
}
