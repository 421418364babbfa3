// SPDX-License-Identifier: Apache-2.0
// HTTP/1.1 by libmicrohttpd, with a thread for each connection. It serves a listening socket until the process ends:
// the socket may belong to the service manager, which keeps callers waiting in it, so nothing shuts it down. Raises
// `SystemError`.
// Concurrency model: the parts that all callbacks share are immutable or have locks; an exchange belongs to the thread of its connection.

internal import CMicrohttpd
internal import Linux
package import Vocabulary

package enum WebServer {
  package struct Limits: Sendable {
    package var places = WebPlaces.Rules()
    /// A connection without traffic ends.
    package var silenceSeconds: UInt32 = 60
    /// Bytes of libmicrohttpd's buffers, for each connection: for a head of 8 KiB, a copy of 4 KiB of cookies, 64 bytes
    /// for each header and cookie, and the head of the answer.
    package var head: UInt32 = 32 * 1024
    package var body = 4096

    package init() {}
  }

  /// Connections that are being ended, beside those that have a place.
  private static let ending = 16
  private static let mostHeaders = 64
  /// Half of a connection's silence.
  private static let peerMilliseconds: UInt32 = 30_000

  /// The parts that all callbacks share.
  private final class Ground: Sendable {
    let service: any WebService
    let clients: WebClients
    let gate: WebGate
    let body: Int

    init(_ service: any WebService, _ clients: WebClients, _ gate: WebGate, body: Int) {
      (self.service, self.clients, self.gate, self.body) = (service, clients, gate, body)
    }
  }

  /// One request while it is being read.
  private final class Exchange {
    var request: WebRequest
    var isBegun = false
    /// Where the text of the target ends; the library cuts it at a NUL.
    private let end: UInt

    init(_ target: UnsafePointer<CChar>?) {
      request = unsafe WebRequest("", target.map { unsafe String(cString: $0) } ?? "", headers: [])
      end = unsafe UInt(bitPattern: dr_web_end(target))
    }

    /// The version follows the target in the library's copy of the line, behind what was a space.
    func isWhole(before version: UnsafePointer<CChar>) -> Bool {
      UInt(bitPattern: version) == end + 1
    }
  }

  private final class Flow {
    let stream: any WebStream
    let socket: Int32
    var left: ArraySlice<UInt8> = []

    init(_ stream: any WebStream, _ socket: Int32) { (self.stream, self.socket) = (stream, socket) }
  }

  package static func start(
    on listener: Int32, limits: Limits = Limits(), counting clients: WebClients,
    _ service: any WebService
  ) throws(SystemError) {
    var calls = unsafe dr_web_calls(
      began: { _, target, _ in
        unsafe Unmanaged.passRetained(Exchange(target)).toOpaque()
      }, step: unsafe step, ended: unsafe ended, counted: unsafe counted)
    var numbers = dr_web_limits(
      connections: UInt32(limits.places.strangers + limits.places.known + ending),
      seconds: limits.silenceSeconds, head: limits.head)
    let gate = try WebGate(limits.places)
    try gate.start()
    // Never released: it serves until the process ends.
    let ground = unsafe Unmanaged.passRetained(
      Ground(service, clients, gate, body: limits.body))
    do throws(SystemError) {
      try Calls.run("MHD_start_daemon", "web server") {
        unsafe dr_web_start(listener, &calls, &numbers, ground.toOpaque())
      }
    } catch {
      unsafe ground.release()
      throw error
    }
  }

  // MARK: callbacks

  private static let step: MHD_AccessHandlerCallback = {
    context, connection, _, method, version, bytes, count, place in
    guard let context = unsafe context, let connection = unsafe connection,
      let method = unsafe method, let version = unsafe version, let count = unsafe count,
      let held = unsafe place?.pointee
    else { return .NO }
    let ground = unsafe Unmanaged<Ground>.fromOpaque(context).takeUnretainedValue()
    let exchange = unsafe Unmanaged<Exchange>.fromOpaque(held).takeUnretainedValue()
    guard exchange.isBegun else {
      exchange.isBegun = true
      exchange.request.method = unsafe WebRequest.plain(String(cString: method)) ?? ""
      let found = unsafe headers(of: connection).request
      exchange.request.headers = found.headers
      exchange.request.isWhole = unsafe found.isWhole && exchange.isWhole(before: version)
      let refusal: WebAnswer?
      switch unsafe ground.gate.admits(
        dr_web_socket(connection), of: ground.service.caller(of: exchange.request))
      {
      case .served, .servedInsteadOf: refusal = ground.service.refusal(of: exchange.request)
      case .crowded: refusal = ground.service.crowd
      case .gone: return .NO
      }
      guard let refusal else { return .YES }
      return unsafe send(refusal, on: connection, ground)
    }
    let size = unsafe count.pointee
    if size > 0, let bytes = unsafe bytes {
      guard exchange.request.body.count + size <= ground.body else { return .NO }
      unsafe UnsafeRawBufferPointer(start: bytes, count: size).withMemoryRebound(to: UInt8.self) {
        unsafe exchange.request.body.append(contentsOf: $0)
      }
      unsafe count.pointee = 0
      return .YES
    }
    ground.gate.began(unsafe dr_web_socket(connection))
    return unsafe send(ground.service.answer(exchange.request), on: connection, ground)
  }

  private static let ended: MHD_RequestCompletedCallback = { context, connection, place, _ in
    guard let held = unsafe place?.pointee else { return }
    unsafe Unmanaged<Exchange>.fromOpaque(held).release()
    unsafe place?.pointee = nil
    guard let context = unsafe context, let connection = unsafe connection else { return }
    let ground = unsafe Unmanaged<Ground>.fromOpaque(context).takeUnretainedValue()
    ground.gate.answered(unsafe dr_web_socket(connection))
  }

  private static let counted: MHD_NotifyConnectionCallback = { context, connection, _, change in
    guard let context = unsafe context, let connection = unsafe connection else { return }
    let ground = unsafe Unmanaged<Ground>.fromOpaque(context).takeUnretainedValue()
    let socket = unsafe dr_web_socket(connection)
    guard change == .CONNECTION_NOTIFY_STARTED else {
      ground.gate.left(socket)
      return ground.clients.changed(by: -1)
    }
    dr_web_patience(socket, peerMilliseconds)
    ground.gate.came(socket)
    ground.clients.changed(by: 1)
  }

  private final class HeaderBox {
    var request = WebRequest("", "", headers: [])
  }

  private static func headers(of connection: OpaquePointer) -> HeaderBox {
    let box = HeaderBox()
    _ = unsafe MHD_get_connection_values(
      connection, .HEADER_KIND,
      { context, _, name, value in
        guard let context = unsafe context, let name = unsafe name else { return .NO }
        let box = unsafe Unmanaged<HeaderBox>.fromOpaque(context).takeUnretainedValue()
        guard box.request.headers.count < WebServer.mostHeaders else {
          box.request.isWhole = false
          return .NO
        }
        let text = unsafe value.map { unsafe String(cString: $0) } ?? ""
        box.request.add(unsafe String(cString: name), text)
        return .YES
      }, unsafe Unmanaged.passUnretained(box).toOpaque())
    return box
  }

  // MARK: answers

  private static func send(
    _ answer: WebAnswer, on connection: OpaquePointer, _ ground: Ground
  ) -> MHD_Result {
    let socket = unsafe dr_web_socket(connection)
    // A refusal comes before the body of its request.
    ground.gate.began(socket)
    guard let response = unsafe response(answer.body, for: socket) else { return .NO }
    defer { unsafe MHD_destroy_response(response) }
    for header in answer.headers {
      guard unsafe MHD_add_response_header(response, header.name, header.value) == .YES else {
        return .NO
      }
    }
    return unsafe MHD_queue_response(connection, answer.status, response)
  }

  private static func response(_ body: WebAnswer.Body, for socket: Int32) -> OpaquePointer? {
    switch body {
    case .bytes(let bytes):
      return unsafe bytes.withUnsafeBytes { raw in
        unsafe MHD_create_response_from_buffer(
          raw.count, UnsafeMutableRawPointer(mutating: raw.baseAddress), .RESPMEM_MUST_COPY)
      }
    case .file(let file, let size):
      guard let copy = try? Calls.run("fcntl", "file", { dr_web_copy(file.descriptor) }) else {
        return nil
      }
      return unsafe MHD_create_response_from_fd(Int(size), copy)
    case .stream(let stream):
      let flow = unsafe Unmanaged.passRetained(Flow(stream, socket))
      return unsafe dr_web_stream(next, flow.toOpaque()) { context in
        guard let context = unsafe context else { return }
        unsafe Unmanaged<Flow>.fromOpaque(context).release()
      }
    }
  }

  private static let next: MHD_ContentReaderCallback = { context, _, place, room in
    guard let context = unsafe context, let place = unsafe place else { return Int(DR_WEB_END) }
    let flow = unsafe Unmanaged<Flow>.fromOpaque(context).takeUnretainedValue()
    if flow.left.isEmpty { flow.left = flow.stream.next(for: flow.socket)[...] }
    if flow.left.isEmpty { return Int(DR_WEB_END) }
    let piece = flow.left.prefix(room)
    for (offset, byte) in piece.enumerated() {
      unsafe place[offset] = CChar(bitPattern: byte)
    }
    flow.left = flow.left.dropFirst(piece.count)
    return piece.count
  }
}
