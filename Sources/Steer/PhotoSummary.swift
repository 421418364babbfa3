// SPDX-License-Identifier: Apache-2.0
// One photo in the reply to `Show`.

package import Vocabulary

package struct PhotoSummary: MessageValue {
  package var number: UInt32
  /// Not escaped; escape it before showing it.
  package var name: String
  /// Without user, password and query, which can be secrets.
  package var url: String
  package var state: String
  package var attempts: UInt32
  /// The print's size in bytes and pixels; 0 without a print.
  package var bytes: UInt64
  package var width: UInt32
  package var height: UInt32
  /// The print's file name; empty without a print.
  package var print: String
  /// Of the print, as it was recorded: 64 hex digits. Nil without a print.
  package var sha256: String?
  /// The comparison of the print in a store with the record; nil if it was not made.
  package var finding: PrintFinding?
  /// The time of the next attempt, in milliseconds since 1970; 0 if the photo does not wait for one.
  package var retry: UInt64
  /// Why the photo failed or waits, for programs and for users; otherwise empty.
  package var code: String
  package var reason: String

  package init(
    number: UInt32, name: String, url: String, state: SeenState, attempts: UInt32 = 0,
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
    sha256 = fields.isMissing("sha256") ? nil : try fields.string("sha256")
    finding = fields.isMissing("finding") ? nil : try fields.value("finding")
    retry = try fields.count("retry")
    code = try fields.string("code")
    reason = try fields.string("reason")
  }

  package var object: JSONObject {
    var object = JSONObject([
      "number": .count(number), "name": .string(name), "url": .string(url),
      "state": .string(state), "attempts": .count(attempts), "bytes": .count(bytes),
      "width": .count(width), "height": .count(height), "print": .string(print),
      "retry": .count(retry), "code": .string(code), "reason": .string(reason),
    ])
    object["sha256"] = sha256.map { .string($0) }
    object["finding"] = finding.map { .value($0) }
    return object
  }
}
