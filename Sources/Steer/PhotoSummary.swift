// SPDX-License-Identifier: Apache-2.0
// One photo as `Show` tells of it.

package import Vocabulary

package struct PhotoSummary: MessageValue {
  package var number: UInt32
  /// As it is: whoever shows it escapes it.
  package var name: String
  /// Without user, password and query: those can be secrets.
  package var url: String
  package var state: String
  package var attempts: UInt32
  /// Size of the print, and its pixels; 0 while there is none.
  package var bytes: UInt64
  package var width: UInt32
  package var height: UInt32
  /// The print's file name; empty while there is none.
  package var print: String
  /// When it is tried again, in milliseconds since 1970; 0 unless it waits for that.
  package var retry: UInt64
  /// Why it failed or waits, for programs and for people; empty unless it does.
  package var code: String
  package var reason: String

  package init(
    number: UInt32, name: String, url: String, state: PhotoState, attempts: UInt32 = 0,
    bytes: UInt64 = 0, width: UInt32 = 0, height: UInt32 = 0, print: String = "",
    retry: UInt64 = 0, code: String = "", reason: String = ""
  ) {
    self.number = number
    self.name = name
    self.url = url
    self.state = state.name
    self.attempts = attempts
    self.bytes = bytes
    self.width = width
    self.height = height
    self.print = print
    self.retry = retry
    self.code = code
    self.reason = reason
  }

  package init(_ fields: MessageFields) throws(FieldError) {
    number = try fields.count("number")
    name = try fields.string("name")
    url = try fields.string("url")
    state = try fields.string("state")
    attempts = try fields.count("attempts")
    bytes = try fields.count("bytes")
    width = try fields.count("width")
    height = try fields.count("height")
    print = try fields.string("print")
    retry = try fields.count("retry")
    code = try fields.string("code")
    reason = try fields.string("reason")
  }

  package var object: JSONObject {
    JSONObject([
      "number": .count(number), "name": .string(name), "url": .string(url),
      "state": .string(state), "attempts": .count(attempts), "bytes": .count(bytes),
      "width": .count(width), "height": .count(height), "print": .string(print),
      "retry": .count(retry), "code": .string(code), "reason": .string(reason),
    ])
  }
}
