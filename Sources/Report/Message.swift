// SPDX-License-Identifier: Apache-2.0
// A notice ready to be sent: number, priority, words and fields. Promises: control characters in outside text are
// escaped.

internal import Systemd
internal import Vocabulary

package struct Message: Equatable, Sendable {
  package struct Value: Equatable, Sendable {
    package let field: Field
    package let text: String

    static func text(_ field: Field, _ text: String) -> Value {
      Value(field: field, text: Printable.text(text, limit: 1000))
    }

    /// The names in it were escaped when it was made.
    static func sentence(_ field: Field, _ text: String) -> Value {
      Value(field: field, text: Printable.sentence(text, limit: 1000))
    }

    static func number(_ field: Field, _ number: some BinaryInteger) -> Value {
      Value(field: field, text: String(number))
    }

    static func time(_ field: Field, _ time: Duration) -> Value {
      number(field, max(0, Int64(time / .microseconds(1))))
    }
  }

  package let number: String
  package let priority: Priority
  package let words: String
  package let fields: [Value]

  var entry: JournalEntry {
    var entry = JournalEntry()
    entry.add("MESSAGE", words)
    entry.add("PRIORITY", String(priority.rawValue))
    entry.add("MESSAGE_ID", number)
    entry.add("SYSLOG_IDENTIFIER", "darkroomd")
    for value in fields { entry.add(value.field.rawValue, value.text) }
    return entry
  }
}
