// SPDX-License-Identifier: Apache-2.0
// A notice ready to be sent: priority, words, message number and fields.

internal import Systemd

package struct Message: Equatable, Sendable {
  package struct Value: Equatable, Sendable {
    package let field: Field
    package let text: String

    package init(_ field: Field, _ text: String) {
      self.field = field
      self.text = text
    }
  }

  package let id: MessageID
  package let words: String
  package let fields: [Value]

  package var priority: Priority { id.priority }

  var entry: JournalEntry {
    var entry = JournalEntry()
    entry.add("MESSAGE", words)
    entry.add("PRIORITY", String(priority.rawValue))
    entry.add("MESSAGE_ID", id.rawValue)
    entry.add("SYSLOG_IDENTIFIER", "darkroomd")
    for value in fields { entry.add(value.field.rawValue, value.text) }
    return entry
  }
}
