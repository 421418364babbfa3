// SPDX-License-Identifier: Apache-2.0
// Where messages go: journald, or lines on standard error. Chosen once, at start.
// Concurrency: immutable; only the reporter's thread writes to it, and may wait here.

internal import Linux
package import Systemd

package enum ReportSink: Sendable {
  /// False if journald did not take the record.
  case journald(@Sendable (JournalEntry) -> Bool)
  case lines(LineStyle, @Sendable ([UInt8]) -> Bool)

  /// `asked` is the style requested on the command line; it overrides everything else.
  package static func choose(
    environment: [String: String], asked: LineStyle? = nil
  ) -> ReportSink {
    if JournalStream.isStandardError(environment), asked == nil,
      (try? Surroundings.mustExist(JournalSocket.path)) != nil
    {
      return .journald { entry in (try? JournalSocket.send(entry)) != nil }
    }
    return .lines(lineStyle(environment: environment, asked: asked)) { bytes in
      (try? StandardStream.error.write(bytes)) != nil
    }
  }

  /// The style of lines on standard error.
  package static func lineStyle(
    environment: [String: String], asked: LineStyle? = nil
  ) -> LineStyle {
    LineStyle.choose(
      asked: asked, isJournalStream: JournalStream.isStandardError(environment),
      isTerminal: StandardStream.error.isTerminal, environment: environment)
  }

  /// Waits while journald is slow; returns false when the message cannot be delivered.
  func write(_ message: Message) -> Bool {
    switch self {
    case .lines(let style, let output): output(style.line(message))
    case .journald(let send): send(message.entry)
    }
  }
}
