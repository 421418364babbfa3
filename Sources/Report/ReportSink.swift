// SPDX-License-Identifier: Apache-2.0
// Where messages go: journald's native socket, or lines on standard error. Chosen once, at start.
// Concurrency: immutable; only the reporter's thread writes to it, and may wait here.

package import Journald
internal import Linux

package enum ReportSink: Sendable {
  case journald(JournalSocket)
  case lines(LineStyle, @Sendable ([UInt8]) -> Bool)

  /// `asked` is the style requested on the command line; it overrides everything else.
  package static func choose(
    environment: [String: String], asked: LineStyle? = nil,
    journalPath: String = JournalSocket.standardPath
  ) -> ReportSink {
    let isStream = JournalStream.isStandardError(environment)
    let socket = isStream && asked == nil ? try? JournalSocket(path: journalPath) : nil
    if let socket { return .journald(socket) }
    let style = LineStyle.choose(
      asked: asked, isJournalStream: isStream,
      isTerminal: StandardStream.error.isTerminal, environment: environment)
    return .lines(style) { bytes in (try? StandardStream.error.write(bytes)) != nil }
  }

  /// Waits while journald is slow; returns false when the message cannot be delivered.
  func write(_ message: Message) -> Bool {
    switch self {
    case .lines(let style, let output): return output(style.line(message))
    case .journald(let socket):
      let entry = message.entry
      do {
        while try socket.send(entry) == .full { try socket.waitForRoom(.seconds(1)) }
        return true
      } catch { return false }
    }
  }
}
