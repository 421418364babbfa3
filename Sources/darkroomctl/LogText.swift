// SPDX-License-Identifier: Apache-2.0
// The output of `log`: the time and the message of each record, and below it the advice and, if it was asked for, the
// explanation from the message catalog.

internal import Vocabulary

package struct LogText {
  private let screen: ToolScreen
  private let localTime: @Sendable (UInt64) -> String

  package init(_ screen: ToolScreen, localTime: @escaping @Sendable (UInt64) -> String) {
    (self.screen, self.localTime) = (screen, localTime)
  }

  package func text(_ record: LogRecord) -> String {
    if screen.isPlain { return plain(record) }
    let time = localTime(record.time)
    let margin = String(repeating: " ", count: time.count + 2)
    let message = shown(record.message)
    var text = Prose.folded(
      "\(time)  \(message)", screen, indent: margin.count, tone: tone(record), of: nil)
    // The message of a file in the inbox ends with its advice.
    if !record.advice.isEmpty, !message.hasSuffix(shown(record.advice)) {
      text += "\n" + folded(record.advice, margin)
    }
    for line in record.explanation.split(separator: "\n") {
      text += "\n" + folded(String(line), margin, .muted)
    }
    return text + "\n"
  }

  private func folded(
    _ text: String, _ margin: String, _ tone: ToolScreen.Tone? = nil
  ) -> String {
    Prose.folded(margin + shown(text), screen, indent: margin.count, tone: tone)
  }

  private func tone(_ record: LogRecord) -> ToolScreen.Tone? {
    switch record.priority {
    case ...3: .bad
    case 4: .heading
    case 7: .muted
    default: nil
    }
  }

  /// Columns: time, priority, list, name, photo, name of the photo, code, message, advice.
  private func plain(_ record: LogRecord) -> String {
    TextTable.plain([
      DateText.utc(milliseconds: record.time), "\(record.priority)",
      record.list.map { "\($0)" } ?? "", shown(record.name), record.photo.map { "\($0)" } ?? "",
      shown(record.photoName), shown(record.code), shown(record.message), shown(record.advice),
    ])
  }

  /// The daemon has escaped text from outside; a program of a hook has not.
  private func shown(_ text: String) -> String {
    Printable.sentence(text, limit: .max / 8)
  }
}
