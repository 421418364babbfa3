// SPDX-License-Identifier: Apache-2.0
// The control socket as callers see it: real sockets, with a scripted daemon behind them.

import Linux
import Steer
import Support
import Testing
import Vocabulary

struct ServerTests {
  private let place: FreshFolder
  private var path: String { "\(place.path)/control" }
  private let clock: SystemClock

  init() throws {
    place = try FreshFolder.forSockets()
    clock = try SystemClock()
  }

  private func serve(_ daemon: ScriptedDaemon, limits: ControlLimits = ControlLimits()) throws
    -> RunningServer
  {
    try RunningServer(path: path, handler: daemon, clock: clock, limits: limits)
  }

  private func ask<Method: ControlMethod>(_ call: Method) async throws -> Method.Answer {
    let (path, clock) = (path, clock)
    return try await onOwnThread {
      try ControlClient(
        path: path, clock: clock, patience: Patience.time * 2, silence: Patience.time
      ).call(call)
    }
  }

  /// Sends bytes and reads until the server ends the connection.
  private func exchange(_ bytes: [UInt8], finishing: Bool = true) async throws -> [ControlAnswer] {
    let path = path
    return try await onOwnThread {
      let line = try RawLine(path: path)
      try line.send(bytes)
      if finishing { line.finish() }
      return try line.answersToEnd()
    }
  }

  @Test
  func `a call is answered, and its caller is known`() async throws {
    let daemon = ScriptedDaemon()
    let server = try serve(daemon)
    #expect(try await ask(StatusOrder()).status == Samples.status)
    #expect(try await ask(ListsOrder()).lists == [Samples.list])
    #expect(daemon.peers.allSatisfy { $0.user == ThisProcess.user })
    #expect(daemon.peers.first?.process == ThisProcess.identifier)
    await #expect(throws: ControlFailure.refused(.noSuchList(name: "x"))) {
      try await ask(CancelOrder(list: ListReference("x")))
    }
    server.stop()
    await server.stopped()
  }

  @Test
  func `an open file comes with the reply, and with no other`() async throws {
    try place.write(Array("print".utf8), to: "picture")
    let name = FileName(literal: "picture")
    let report = PictureReport(type: "image/png", file: try place.folder.openFile(name, .read))
    try place.folder.remove(name)
    let server = try serve(ScriptedDaemon(picture: report))
    let (path, clock) = (path, clock)
    try await onOwnThread {
      let client = try ControlClient(path: path, clock: clock)
      let order = PictureOrder(list: ListReference("17"), photo: 3)
      for _ in 0..<2 {
        let reply = try client.call(order)
        #expect(reply.openFile != nil && reply.openFile !== report.openFile)
        #expect(try reply.openFile?.read(at: 0, upTo: 10) == Array("print".utf8))
        #expect(reply.type == "image/png")
        #expect(try client.call(StatusOrder()).openFile == nil)
      }
      // A caller that takes no files gets the reply.
      let line = try RawLine(path: path)
      try line.send(ControlRequest(order).bytes)
      line.finish()
      #expect(try line.answersToEnd().count == 1)
    }
    server.stop()
    await server.stopped()
  }

  @Test
  func `a caller that does not read gets one open file`() async throws {
    try place.write(Array("print".utf8), to: "picture")
    let file = try place.folder.openFile(FileName(literal: "picture"), .read)
    let daemon = ScriptedDaemon(picture: PictureReport(type: "image/png", file: file))
    let server = try serve(daemon)
    let order = ControlRequest(PictureOrder(list: ListReference("17"), photo: 3))
    let path = path
    let line = try await onOwnThread {
      let line = try RawLine(path: path)
      try line.send(order.bytes + order.bytes + order.bytes)
      return line
    }
    await daemon.reached(2)
    server.stop()
    await server.stopped()
    let answers = try await onOwnThread { try line.answersToEnd().count }
    #expect(answers == 1)
  }

  @Test
  func `only owner and group may connect, and the socket is gone after the stop`() async throws {
    let server = try serve(ScriptedDaemon())
    let folder = place.folder
    let name = FileName(literal: "control")
    #expect(try folder.status(of: name).mode == 0o660)
    server.stop()
    #expect(try !folder.has(name))
    await server.stopped()
    await #expect(throws: ControlFailure.notRunning(path: path)) { try await ask(StatusOrder()) }
  }

  @Test
  func `an answer in progress when the daemon stops still reaches its caller`() async throws {
    let daemon = ScriptedDaemon(holding: true)
    let limits = ControlLimits(farewell: Patience.time)
    let server = try serve(daemon, limits: limits)
    async let reply = ask(ListsOrder())
    await daemon.reached(1)
    server.stop()
    daemon.release()
    #expect(try await reply.lists == [Samples.list])
    await server.stopped()
  }

  @Test
  func `a stop does not wait long for a caller`() async throws {
    let daemon = ScriptedDaemon(holding: true)
    let server = try serve(daemon, limits: ControlLimits(farewell: .milliseconds(1)))
    let reply = Task { try await ask(ListsOrder()) }
    await daemon.reached(1)
    server.stop()
    await server.stopped()
    await #expect(throws: ControlFailure.lost) { try await reply.value }
    daemon.release()
  }

  @Test
  func `a path too long for a socket address is served nevertheless`() async throws {
    let part = FileName(literal: "a-folder-with-quite-a-long-name")
    var folder = place.folder
    for _ in 0..<5 { folder = try folder.openFolder(part, creating: true) }
    let deep = "\(folder.path)/control"
    #expect(deep.utf8.count > 108)
    let clock = clock
    let server = try RunningServer(path: deep, handler: ScriptedDaemon(), clock: clock)
    let reply = try await onOwnThread {
      try ControlClient(path: deep, clock: clock).call(StatusOrder())
    }
    #expect(reply.status == Samples.status)
    server.stop()
    await server.stopped()
  }

  @Test
  func `a second daemon on the path is refused, and a dead socket is replaced`() async throws {
    let first = try serve(ScriptedDaemon())
    let failure = #expect(throws: Failure.self) { try serve(ScriptedDaemon()) }
    #expect(failure?.code == "control.taken")
    #expect(failure?.reason == "another darkroomd answers at \(path)")
    first.stop()
    await first.stopped()
    _ = try deadSocket()
    let second = try serve(ScriptedDaemon())
    #expect(try await ask(StatusOrder()).status == Samples.status)
    second.stop()
    await second.stopped()
  }

  /// Leaves a socket without a listener, as a killed daemon does.
  private func deadSocket() throws -> String {
    _ = try ListeningSocket(at: path, mode: 0o660)
    #expect(try !ListeningSocket.isAnswered(at: path))
    return path
  }

  @Test
  func `a file that is not a socket is left alone`() throws {
    let folder = place.folder
    try folder.open(FileName(literal: "control"), .create).write([1], at: 0)
    let failure = #expect(throws: Failure.self) { try serve(ScriptedDaemon()) }
    #expect(failure?.reason == "\(path) exists and is not a socket")
    #expect(try folder.status(of: FileName(literal: "control")).size == 1)
  }

  @Test
  func `many callers at once all get their answers`() async throws {
    let daemon = ScriptedDaemon(holding: true)
    let server = try serve(daemon)
    let replies = try await withThrowingTaskGroup(of: StatusReply.self) { group in
      for _ in 0..<20 { group.addTask { try await ask(StatusOrder()) } }
      await daemon.reached(20)
      daemon.release()
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(replies.count == 20 && replies.allSatisfy { $0.status == Samples.status })
    server.stop()
    await server.stopped()
  }

  @Test
  func `requests sent together are answered in order`() async throws {
    let server = try serve(ScriptedDaemon())
    let requests =
      ControlRequest(StatusOrder()).bytes + ControlRequest(ListsOrder()).bytes
      + ControlRequest(method: "org.varlink.service.GetInfo").bytes
      + ControlRequest(method: "io.darkroom.Control.Sync").bytes
      + ControlRequest(method: "io.darkroom.Control.Fly").bytes
      + ControlRequest(method: "com.example.Fly").bytes
    let answers = try await exchange(requests)
    #expect(
      answers.map { $0.error ?? $0.parameters.members.first?.name } == [
        "status", "lists", "vendor", "org.varlink.service.MethodNotImplemented",
        "org.varlink.service.MethodNotFound", "org.varlink.service.InterfaceNotFound",
      ])
    server.stop()
    await server.stopped()
  }

  @Test
  func `any varlink client can read the description of the service`() async throws {
    let server = try serve(ScriptedDaemon())
    let names: [JSONValue] = ["org.varlink.service", "io.darkroom.Control"]
    for name in names {
      let answers = try await exchange(
        ControlRequest(
          method: "org.varlink.service.GetInterfaceDescription",
          parameters: JSONObject(["interface": name])
        ).bytes)
      let text = try #require(answers.first?.parameters["description"]?.string)
      #expect(text.contains("interface \(name.string ?? "")\n"))
    }
    let info = try await exchange(
      ControlRequest(method: "org.varlink.service.GetInfo").bytes)
    #expect(info.first?.parameters["interfaces"] == .array(names))
    server.stop()
    await server.stopped()
  }

  enum Nonsense: CaseIterable {
    case web, nothing, noText, nested, endless

    var bytes: [UInt8] {
      switch self {
      case .web: Array("GET / HTTP/1.1\r\n\r\n\0".utf8)
      case .nothing: [0]
      case .noText: [0xFF, 0xFE, 0]
      case .nested: [UInt8](repeating: 0x5B, count: 200_000) + [0]
      case .endless: [UInt8](repeating: 0x20, count: 1 << 21)
      }
    }
  }

  @Test(
    "a caller that sends nonsense gets an error and is disconnected; the next one is served",
    arguments: Nonsense.allCases)
  func nonsense(kind: Nonsense) async throws {
    let server = try serve(ScriptedDaemon())
    let answers = try await exchange(kind.bytes, finishing: false)
    #expect(answers.map(\.error) == ["io.darkroom.Control.NotPossible"])
    #expect(try await ask(StatusOrder()).status == Samples.status)
    server.stop()
    await server.stopped()
  }

  @Test
  func `a caller that sends half a message and waits is disconnected`() async throws {
    let server = try serve(
      ScriptedDaemon(), limits: ControlLimits(patience: .milliseconds(20)))
    #expect(try await exchange(Array("{\"meth".utf8), finishing: false).isEmpty)
    server.stop()
    await server.stopped()
  }

  @Test
  func `a caller that never reads is disconnected, and its stream ends`() async throws {
    let reason = String(repeating: "x", count: 100_000)
    let photo = PhotoSummary(number: 1, name: "a", url: "", state: .failed, reason: reason)
    let daemon = ScriptedDaemon(
      steps: Array(repeating: Samples.list, count: 1000),
      photos: Array(repeating: photo, count: 10))
    let server = try serve(daemon, limits: ControlLimits(patience: .milliseconds(20)))
    let order = ShowOrder(list: ListReference("17"))
    let line = try RawLine(path: path)
    try line.send(ControlRequest(order, more: true).bytes)
    #expect(await !daemon.streamEnded())
    #expect(try await ask(StatusOrder()).status == Samples.status)
    server.stop()
    await server.stopped()
  }

  @Test
  func `a stream ends when its caller leaves, but a change is carried out`() async throws {
    let daemon = ScriptedDaemon(
      steps: Array(repeating: Samples.list, count: 100_000), holding: true)
    let server = try serve(daemon)
    var line: RawLine? = try RawLine(path: path)
    try line?.send(
      ControlRequest(ShowOrder(list: ListReference("17")), more: true).bytes)
    await daemon.reached(1)
    line = nil
    #expect(await !daemon.streamEnded())

    line = try RawLine(path: path)
    try line?.send(ControlRequest(PauseOrder(list: ListReference("1"))).bytes)
    line = nil
    await daemon.reached(2)
    daemon.release()
    #expect(daemon.calls.dropFirst() == [ControlRequest(PauseOrder(list: ListReference("1")))])
    server.stop()
    await server.stopped()
  }

  @Test
  func `a search ends when its caller leaves`() async throws {
    let daemon = EndlessDaemon()
    let server = try RunningServer(path: path, handler: daemon, clock: clock)
    let order = FindOrder(list: ListReference("17"), text: "barn")
    var line: RawLine? = try RawLine(path: path)
    try line?.send(ControlRequest(order).bytes)
    #expect(await daemon.begun.wait { $0 == 1 })
    line = nil
    #expect(await daemon.ended.wait { $0 == 1 })
    #expect(try await ask(StatusOrder()).status == Samples.status)
    server.stop()
    await server.stopped()
  }

  /// The kernel resets the connection of such a caller.
  @Test(arguments: [false, true])
  func `a caller that leaves replies unread gives its place back`(isStream: Bool) async throws {
    let daemon = ScriptedDaemon(steps: isStream ? [Samples.list] : [])
    let server = try serve(daemon, limits: ControlLimits(clients: 1, kept: 0))
    let call: any ControlMethod =
      isStream ? ShowOrder(list: ListReference("17")) : StatusOrder()
    let path = path
    try await onOwnThread {
      let line = try RawLine(path: path)
      try line.send(ControlRequest(call, more: isStream).bytes)
      try line.awaitReply()
    }
    #expect(
      try await Patience.sees {
        do {
          return try await ask(StatusOrder()).status == Samples.status
        } catch ControlFailure.refused { return false }
      })
    server.stop()
    await server.stopped()
  }

  @Test
  func `a stream delivers every reply in order, and then the last one`() async throws {
    var steps: [ListSummary] = []
    for filtered in 0..<200 as Range<UInt32> {
      var step = Samples.list
      step.filtered = filtered
      steps.append(step)
    }
    let daemon = ScriptedDaemon(steps: steps)
    let server = try serve(daemon)
    let (path, clock) = (path, clock)
    let seen = try await onOwnThread {
      var seen: [UInt32] = []
      let order = ShowOrder(list: ListReference("17"))
      try ControlClient(path: path, clock: clock).stream(order) { report in
        seen.append(report.list.filtered)
        return true
      }
      return seen
    }
    #expect(seen == Array(0..<200) + [Samples.list.filtered])
    server.stop()
    await server.stopped()
  }

  @Test
  func `one connection too many is refused with the reason`() async throws {
    let daemon = ScriptedDaemon(holding: true)
    let server = try serve(daemon, limits: ControlLimits(clients: 2, kept: 0))
    let (path, clock) = (path, clock)
    let lines = try (0..<2).map { _ in try RawLine(path: path) }
    for line in lines { try line.send(ControlRequest(StatusOrder()).bytes) }
    await daemon.reached(2)
    await #expect(
      throws: ControlFailure.refused(
        .notPossible(why: "2 connections are already open; try again later"))
    ) {
      try await onOwnThread { try ControlClient(path: path, clock: clock).call(StatusOrder()) }
    }
    daemon.release()
    for line in lines { line.finish() }
    server.stop()
    await server.stopped()
  }

  @Test
  func `an answer that is too long is an error with advice`() async throws {
    let daemon = ScriptedDaemon(photos: Array(repeating: Samples.photos[0], count: 100))
    let server = try serve(daemon, limits: ControlLimits(reply: 4096))
    let why = "the answer has more than 4096 bytes; ask for fewer photos at once"
    await #expect(throws: ControlFailure.refused(.notPossible(why: why))) {
      try await ask(ShowOrder(list: ListReference("17")))
    }
    server.stop()
    await server.stopped()
  }

  @Test
  func `a call to a daemon that does not answer is given up after a time`() async throws {
    let daemon = ScriptedDaemon(holding: true)
    let server = try serve(daemon)
    let (path, clock, own) = (path, clock, ThisProcess.identifier)
    await #expect(throws: ControlFailure.silent(path: path, process: own, seconds: 0)) {
      try await onOwnThread {
        try ControlClient(path: path, clock: clock, silence: .milliseconds(20)).call(ListsOrder())
      }
    }
    daemon.release()
    server.stop()
    await server.stopped()
  }

  @Test
  func `a daemon that stops ends the waiting calls`() async throws {
    let daemon = ScriptedDaemon(holding: true)
    let server = try serve(daemon)
    let reply = Task { try await ask(StatusOrder()) }
    await daemon.reached(1)
    server.stop()
    await #expect(throws: ControlFailure.lost) { try await reply.value }
    await server.stopped()
    daemon.release()
  }
}
