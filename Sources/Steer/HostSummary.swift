// SPDX-License-Identifier: Apache-2.0
// A host that does not answer, or has asked to be left alone, in the reply to `Status`.

package struct HostSummary: MessageValue {
  package static let mostShown = 100

  /// Includes the port unless it is the default.
  package var name = ""
  /// The cause, for programs and for users.
  package var code = ""
  package var reason = ""
  /// Failed attempts since it last answered.
  package var attempts: UInt32 = 0
  /// Since when, and when it is tried again, in milliseconds since 1970.
  package var since: UInt64 = 0
  package var until: UInt64 = 0

  package init(
    name: String, code: String, reason: String, attempts: UInt32, since: UInt64, until: UInt64
  ) {
    (self.name, self.code, self.reason, self.attempts) = (name, code, reason, attempts)
    (self.since, self.until) = (since, until)
  }

  package init() {}
  package static let fields: [Field] = [
    Field("name", \.name), Field("code", \.code), Field("reason", \.reason),
    Field("attempts", \.attempts), Field("since", \.since), Field("until", \.until),
  ]
}
