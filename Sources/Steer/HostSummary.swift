// SPDX-License-Identifier: Apache-2.0
// A server that does not answer, or asked to be left alone, as `Status` tells of it.

package struct HostSummary: MessageValue {
  package static let mostShown = 100

  /// With its port where that is not the usual one.
  package var name: String
  /// Why, for programs and for people.
  package var code: String
  package var reason: String
  /// What it failed at since it last answered.
  package var attempts: UInt32
  /// Since when, and when it is asked again, in milliseconds since 1970.
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
