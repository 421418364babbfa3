// SPDX-License-Identifier: Apache-2.0
// A client of a web server on loopback that sends any bytes and follows no rule of HTTP: one connection, one request.
// Its calls block; tests make them in `onOwnThread`.

internal import CPrograms
internal import Linux
package import Vocabulary

package struct WebReply: Sendable, Equatable, CustomStringConvertible {
  package let status: Int
  package let head: String
  package let body: [UInt8]

  package var text: String { String(decoding: body, as: UTF8.self) }
  package var description: String { "\(status)\n\(head)\n\(text.prefix(2000))" }

  package func header(_ name: String) -> String? {
    head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
      .map { String($0.drop { $0 != ":" }.dropFirst().drop { $0 == " " }) }
  }

  /// Nil for bytes without a status line.
  init?(_ bytes: [UInt8]) {
    let end = Array("\r\n\r\n".utf8)
    guard let place = bytes.indices.first(where: { bytes[$0...].starts(with: end) }) else {
      return nil
    }
    head = String(decoding: bytes[..<place], as: UTF8.self)
    body = Array(bytes[(place + end.count)...])
    let words = head.split(separator: " ")
    guard words.count > 1, let status = Int(words[1]) else { return nil }
    self.status = status
  }
}

package final class WebVisit: Sendable {
  private let handle: Descriptor

  package init(port: Int) throws(SystemError) {
    handle = Descriptor(
      owning: try Calls.run("connect", "127.0.0.1") {
        visit_connect(Int32(port), Int32(Patience.seconds))
      })
  }

  package func send(_ text: String) { send(Array(text.utf8)) }

  /// A server that has hung up takes no more.
  package func send(_ bytes: [UInt8]) {
    _ = unsafe visit_send(handle.number, bytes, UInt64(bytes.count))
  }

  /// The bytes that come until `isEnough`, or until the end.
  package func read(until isEnough: ([UInt8]) -> Bool = { _ in false }) -> [UInt8] {
    var all: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while !isEnough(all) {
      let count = unsafe visit_receive(handle.number, &piece, UInt64(piece.count))
      guard count > 0 else { break }
      all += piece[..<Int(count)]
    }
    return all
  }

  /// Sends no more.
  package func finish() { visit_finish(handle.number) }

  /// Reads until the text has come.
  package func reads(_ text: String) -> String {
    let wanted = Array(text.utf8)
    let bytes = read { all in
      all.count >= wanted.count
        && all.indices.contains { all[$0...].starts(with: wanted) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// One request, whose answer ends the connection.
  package static func ask(
    _ port: Int, _ line: String, headers: [String] = [], body: String = ""
  ) async throws -> WebReply {
    try await onOwnThread {
      let visit = try WebVisit(port: port)
      let head = ["\(line) HTTP/1.1", "Connection: close"] + headers
      visit.send(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
      guard let reply = WebReply(visit.read()) else {
        throw ProgramProblem("no answer to \(line)")
      }
      return reply
    }
  }
}
