// SPDX-License-Identifier: Apache-2.0
// One record of journald, as far as `log` shows it. Texts are as they were sent.

internal import JournalReader
package import Steer

package struct LogRecord: Equatable, Sendable {
  /// In milliseconds since 1970.
  package var time: UInt64
  /// From 0, the most urgent, to 7.
  package var priority: UInt64
  package var message: String
  /// The kind of message, see darkroom-journal-fields(7); empty for one of another program.
  package var kind = ""
  package var list: UInt64?
  package var name = ""
  package var photo: UInt64?
  package var photoName = ""
  package var host = ""
  package var code = ""
  package var reason = ""
  package var advice = ""
  /// From the message catalog; only where it was asked for.
  package var explanation = ""

  package init(time: UInt64, priority: UInt64, message: String) {
    (self.time, self.priority, self.message) = (time, priority, message)
  }

  init(_ records: borrowing JournaldRecords) {
    func text(_ field: String) -> String { records.value(field) ?? "" }
    self.init(
      time: records.time, priority: min(7, UInt64(text("PRIORITY")) ?? 6), message: text("MESSAGE"))
    (kind, list, name) = (text("MESSAGE_ID"), UInt64(text("LIST_ID")), text("LIST_NAME"))
    (photo, photoName) = (UInt64(text("PHOTO_ID")), text("PHOTO_NAME"))
    (host, code) = (text("PHOTO_URL_HOST"), text("ERROR_KIND"))
    (reason, advice) = (text("REASON"), text("ADVICE"))
  }

  /// Members without a value are left out.
  package var object: JSONObject {
    var object = JSONObject([
      "time": .count(time), "priority": .count(priority), "message": .string(message),
    ])
    if !kind.isEmpty { object["kind"] = .string(kind) }
    if let list { object["list"] = .count(list) }
    if !name.isEmpty { object["name"] = .string(name) }
    if let photo { object["photo"] = .count(photo) }
    if !photoName.isEmpty { object["photoName"] = .string(photoName) }
    if !host.isEmpty { object["host"] = .string(host) }
    if !code.isEmpty { object["code"] = .string(code) }
    if !reason.isEmpty { object["reason"] = .string(reason) }
    if !advice.isEmpty { object["advice"] = .string(advice) }
    if !explanation.isEmpty { object["explanation"] = .string(explanation) }
    return object
  }
}
