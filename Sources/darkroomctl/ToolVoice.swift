// SPDX-License-Identifier: Apache-2.0
// Where the tool's words go: results to standard output, reasons and progress to standard error.

internal import Linux
package import Steer
internal import Vocabulary

package struct ToolVoice: Sendable {
  package let screen: ToolScreen
  /// Progress is shown here, where it is a terminal.
  package let progressScreen: ToolScreen
  private let out: @Sendable (String) -> Void
  private let error: @Sendable (String) -> Void

  package init(
    screen: ToolScreen, progressScreen: ToolScreen, out: @escaping @Sendable (String) -> Void,
    error: @escaping @Sendable (String) -> Void
  ) {
    self.screen = screen
    self.progressScreen = progressScreen
    self.out = out
    self.error = error
  }

  static func standard() -> ToolVoice {
    ToolVoice(
      screen: .of(.output), progressScreen: .of(.error),
      out: { text in
        do throws(SystemError) { try StandardStream.output.write(text) } catch {
          // A result that could not be given is a failure, whatever was done.
          try? StandardStream.error.write("darkroomctl: could not write: \(error)\n")
          ThisProcess.end(with: ExitCode.failed.rawValue)
        }
      },
      error: { text in try? StandardStream.error.write(text) })
  }

  package func say(_ text: String) { out(text) }

  package func say(_ value: JSONValue) { out(JSONWriter.text(value) + "\n") }

  /// One line.
  package func complain(_ reason: String) { error("darkroomctl: \(reason)\n") }

  /// Writes over the line it stands on; nothing unless it is a terminal.
  package func progress(_ line: String) {
    if progressScreen.isTerminal { error("\r\(line)\u{1B}[K") }
  }
}
