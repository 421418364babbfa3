// SPDX-License-Identifier: Apache-2.0
// One photo in the reply to `Show`.

package import Vocabulary

package struct PhotoSummary: MessageValue {
  package var number: UInt32 = 0
  /// Not escaped; escape it before showing it.
  package var name = ""
  /// Without user, password and query, which can be secrets.
  package var url = ""
  package var state = ""
  package var attempts: UInt32 = 0
  /// The print's size in bytes and pixels; 0 without a print.
  package var bytes: UInt64 = 0
  package var width: UInt32 = 0
  package var height: UInt32 = 0
  /// The print's file name; empty without a print.
  package var print = ""
  /// Of the print, as it was recorded: 64 hex digits. Nil without a print.
  package var sha256: String?
  /// The comparison of the print in a store with the record; nil if it was not made.
  package var finding: PrintFinding?
  /// The time of the next attempt, in milliseconds since 1970; 0 if the photo does not wait for one.
  package var retry: UInt64 = 0
  /// Why the photo failed or waits, for programs and for users; otherwise empty.
  package var code = ""
  package var reason = ""

  package init(
    number: UInt32, name: String, url: String, state: SeenState, attempts: UInt32 = 0,
    bytes: UInt64 = 0, width: UInt32 = 0, height: UInt32 = 0, print: String = "",
    retry: UInt64 = 0, code: String = "", reason: String = ""
  ) {
    (self.number, self.name, self.url, self.state) = (number, name, url, state.name)
    (self.attempts, self.bytes, self.width, self.height) = (attempts, bytes, width, height)
    (self.print, self.retry, self.code, self.reason) = (print, retry, code, reason)
  }

  package init() {}
  package static let fields: [Field] = [
    Field("number", \.number), Field("name", \.name), Field("url", \.url),
    Field("state", \.state, "PhotoState"), Field("attempts", \.attempts), Field("bytes", \.bytes),
    Field("width", \.width), Field("height", \.height), Field("print", \.print),
    Field("retry", \.retry), Field("code", \.code), Field("reason", \.reason),
    Field("sha256", \.sha256), Field("finding", \.finding),
  ]
}
