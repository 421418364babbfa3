// SPDX-License-Identifier: Apache-2.0
// A request as it came, and the answer to it, as values between libmicrohttpd and the program. The request is neither
// checked nor decoded here. Only the library found its lines and kept it within limits, and the head is known to be
// ASCII, so that it is compared byte by byte.

package import Linux

package struct WebHeader: Equatable, Sendable {
  package let name: String
  package let value: String

  package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
}

package struct WebRequest: Equatable, Sendable {
  package var method: String
  /// The path and the query, undecoded.
  package var target: String
  package var headers: [WebHeader]
  package var body: [UInt8]
  /// False if there are more headers, or the target is longer than told here: a judge must not decide without them.
  package var isWhole = true

  package init(_ method: String, _ target: String, headers: [WebHeader], body: [UInt8] = []) {
    (self.method, self.target, self.headers, self.body) = (method, target, headers, body)
  }

  /// Adds a header as it came. A cookie may belong to any page of this host, in any form; another header in other
  /// characters than ASCII is not understood.
  package mutating func add(_ name: String, _ value: String) {
    guard let name = Self.plain(name) else {
      isWhole = false
      return
    }
    if let value = Self.plain(value) {
      headers.append(WebHeader(name, value))
    } else if name.lowercased() != "cookie" {
      isWhole = false
    }
  }

  /// Nil for a text in other characters than ASCII.
  package static func plain(_ text: String) -> String? {
    text.utf8.allSatisfy { $0 < 0x7F } ? text : nil
  }

  /// The values of all headers of this name, in any case.
  package func values(_ name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name }.map(\.value)
  }
}

package struct WebAnswer {
  package enum Body {
    case bytes([UInt8])
    /// The first bytes of a file.
    case file(LinuxFile, size: UInt64)
    /// Bytes that come while the answer is being sent.
    case stream(any WebStream)
  }

  package var status: UInt32
  package var headers: [WebHeader]
  package var body: Body

  package init(_ status: UInt32, headers: [WebHeader] = [], body: Body = .bytes([])) {
    (self.status, self.headers, self.body) = (status, headers, body)
  }
}

/// One thread uses a stream.
package protocol WebStream: AnyObject {
  /// Waits for the next bytes; none at the end, and when the peer of the socket has gone.
  func next(for socket: Int32) -> [UInt8]
}

/// Each connection has a thread, which waits for the answer.
package protocol WebService: Sendable {
  /// The user for whom the request is made; nil if that cannot be known.
  func caller(of request: WebRequest) -> UInt32?
  /// The answer to a user whose connections are all busy.
  var crowd: WebAnswer { get }
  /// An answer for which the body of the request is not read; nil if it is wanted.
  func refusal(of request: WebRequest) -> WebAnswer?
  func answer(_ request: WebRequest) -> WebAnswer
}
