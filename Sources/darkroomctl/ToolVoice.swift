// SPDX-License-Identifier: Apache-2.0
// The tool's output: results go to standard output, errors and progress to standard error. With --json an
// error is an object with the members `error`, a code, and `message`.

internal import Linux
package import Steer
internal import Vocabulary

package struct ToolVoice: Sendable {
  package private(set) var screen: ToolScreen
  /// Shows progress if it is a terminal.
  package let progressScreen: ToolScreen
  /// Errors are printed as JSON objects.
  package private(set) var isJSON = false
  /// The daemon that the tool was called for.
  private var place = DaemonPlace(socket: DaemonPlace.systemSocket)
  /// The reader may leave early: the command only shows something.
  private var isQuery = false
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
      out: { text throws(SystemError) in try StandardStream.output.write(Array(text.utf8)) },
      error: { text in try? StandardStream.error.write(Array(text.utf8)) })
  }

  /// A copy that prints errors as JSON objects or as text.
  package func speaking(json: Bool) -> ToolVoice {
    var voice = self
    voice.isJSON = json
    return voice
  }

  /// A copy that writes columns for programs, even to a terminal.
  package func speaking(plain: Bool) -> ToolVoice {
    var voice = self
    if plain { voice.screen = .plain }
    return voice
  }

  /// A copy whose hints lead to the daemon of this socket.
  package func hinting(socket: String) -> ToolVoice {
    var voice = self
    voice.place = DaemonPlace(socket: socket)
    return voice
  }

  /// A copy that ends the process with success when its reader has left.
  func endingQuietly() -> ToolVoice {
    ThisProcess.ignoreBrokenPipes()
    var voice = self
    voice.isQuery = true
    return voice
  }

  package func say(_ text: String) {
    do { try out(text) } catch {
      if isQuery, (error as? SystemError)?.name == .brokenPipe {
        ThisProcess.end(with: ExitCode.done.rawValue)
      }
      // A result that cannot be written is a failure, even if the command succeeded.
      complain(
        (error as? SystemError)?.failure.code ?? "output", "could not write: \(error)")
      ThisProcess.end(with: ExitCode.failed.rawValue)
    }
  }

  package func say(_ value: JSONValue) { say(JSONWriter.text(value) + "\n") }

  /// Prints an error on one line. The code is for programs, short and stable.
  package func complain(_ code: String, _ reason: String) {
    let reason = place.hint(reason)
    if isJSON {
      error(JSONWriter.text(["error": .string(code), "message": .string(reason)]) + "\n")
    } else {
      error(Prose.folded("darkroomctl: \(reason)", progressScreen, indent: 2) + "\n")
    }
  }

  /// Shows lines in place of the `height` lines of the last call; does nothing without a
  /// terminal.
  package func progress(_ lines: [String], over height: Int) {
    guard progressScreen.isTerminal else { return }
    let up = height > 1 ? "\u{1B}[\(height - 1)A" : ""
    error("\r\(up)\u{1B}[J" + lines.joined(separator: "\n"))
  }
}
