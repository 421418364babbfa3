// SPDX-License-Identifier: Apache-2.0
// Where the tool's words go: results to standard output, reasons and progress to standard error.
// With --json a reason is an object with the members `error`, a code, and `message`.

internal import Linux
package import Steer
internal import Vocabulary

package struct ToolVoice: Sendable {
  package let screen: ToolScreen
  /// Progress is shown here, where it is a terminal.
  package let progressScreen: ToolScreen
  /// Reasons are JSON objects.
  package private(set) var isJSON = false
  private let out: @Sendable (String) throws -> Void
  private let error: @Sendable (String) -> Void

  package init(
    screen: ToolScreen, progressScreen: ToolScreen,
    out: @escaping @Sendable (String) throws -> Void,
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
      out: { text throws(SystemError) in try StandardStream.output.write(text) },
      error: { text in try? StandardStream.error.write(text) })
  }

  /// The same voice, whose reasons are JSON objects or words.
  package func speaking(json: Bool) -> ToolVoice {
    var voice = self
    voice.isJSON = json
    return voice
  }

  package func say(_ text: String) {
    do { try out(text) } catch {
      // A result that could not be given is a failure, whatever was done.
      complain(
        (error as? SystemError)?.failure.code ?? "output", "could not write: \(error)")
      ThisProcess.end(with: ExitCode.failed.rawValue)
    }
  }

  package func say(_ value: JSONValue) { say(JSONWriter.text(value) + "\n") }

  /// One line. The code is for programs, short and stable.
  package func complain(_ code: String, _ reason: String) {
    if isJSON {
      error(JSONWriter.text(["error": .string(code), "message": .string(reason)]) + "\n")
    } else {
      error("darkroomctl: \(reason)\n")
    }
  }

  /// Writes over the line it stands on; nothing unless it is a terminal.
  package func progress(_ line: String) {
    if progressScreen.isTerminal { error("\r\(line)\u{1B}[K") }
  }
}
