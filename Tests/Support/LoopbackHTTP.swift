// SPDX-License-Identifier: Apache-2.0
// One HTTP request to a server on 127.0.0.1, byte for byte as a test wants it. Waits in the calling thread.

internal import CPrograms
import Foundation

package enum LoopbackHTTP {
  package struct Answer: Sendable {
    package let status: Int
    /// By their names in lower case.
    package let headers: [String: String]
    package let body: [UInt8]
  }

  /// `lines`: the request line and further header lines; Host, length and `Connection: close` are added.
  package static func exchange(
    port: UInt16, _ lines: [String], body: [UInt8] = []
  ) throws -> Answer {
    var head = lines
    if !lines.contains(where: { $0.lowercased().hasPrefix("host:") }) {
      head.append("Host: 127.0.0.1:\(port)")
    }
    head += ["Connection: close", "Content-Length: \(body.count)", "", ""]
    let request = Array(head.joined(separator: "\r\n").utf8) + body
    var pointer: UnsafeMutablePointer<UInt8>?
    let count = unsafe loopback_exchange(port, request, UInt64(request.count), &pointer)
    defer { unsafe free(pointer) }
    guard count >= 0, let pointer = unsafe pointer else {
      throw ProgramProblem("no answer from 127.0.0.1:\(port): error \(-count)")
    }
    let bytes = unsafe Array(UnsafeBufferPointer(start: pointer, count: Int(count)))
    guard let answer = parse(bytes) else {
      throw ProgramProblem(
        "no HTTP from 127.0.0.1:\(port): \(String(decoding: bytes.prefix(200), as: UTF8.self))")
    }
    return answer
  }

  private static func parse(_ bytes: [UInt8]) -> Answer? {
    let end = Array("\r\n\r\n".utf8)
    let places = bytes.indices.dropLast(end.count - 1)
    guard let split = places.first(where: { bytes[$0..<($0 + end.count)].elementsEqual(end) })
    else {
      return nil
    }
    let lines = String(decoding: bytes[..<split], as: UTF8.self).components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ")
    guard words.count >= 2, let status = Int(words[1]) else { return nil }
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      headers[line[..<colon].lowercased()] =
        line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }
    return Answer(status: status, headers: headers, body: Array(bytes[(split + end.count)...]))
  }
}
