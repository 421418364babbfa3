// SPDX-License-Identifier: Apache-2.0
// A host that does not answer, or has asked to be left alone, in the reply to `Status`.

package struct HostSummary: MessageValue {
  package static let mostShown = 100

  /// Includes the port unless it is the default.
  package var name: String
  /// The cause, for programs and for users.
  package var code: String
  package var reason: String
  /// Failed attempts since it last answered.
  package var attempts: UInt32
  /// Since when, and when it is tried again, in milliseconds since 1970.
  package var since: UInt64
  package var until: UInt64

  package init(
    name: String, code: String, reason: String, attempts: UInt32, since: UInt64, until: UInt64
  ) {
    self.name = name
    self.code = code
    self.reason = reason
    self.attempts = attempts
    self.since = since
    self.until = until
  }

  package init(_ fields: MessageFields) throws(FieldError) {
    name = try fields.string("name")
    code = try fields.string("code")
    reason = try fields.string("reason")
    attempts = try fields.count("attempts")
    since = try fields.count("since")
    until = try fields.count("until")
  }

  package var object: JSONObject {
    JSONObject([
      "name": .string(name), "code": .string(code), "reason": .string(reason),
      "attempts": .count(attempts), "since": .count(since), "until": .count(until),
    ])
  }
}
