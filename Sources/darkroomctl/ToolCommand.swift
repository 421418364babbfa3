// SPDX-License-Identifier: Apache-2.0
// A command of the tool as one row: its words and options, the help, the reader of its command line, and the method that
// runs it. Parsing, `help`, usage errors and the completions of the shells are made from the rows. A value.

internal import Steer
internal import Vocabulary

/// The words and options that may follow the name of a command.
struct CommandSyntax: Sendable {
  /// For the overview.
  let words: String
  /// For the help of the command.
  let usage: String
  let options: [ToolOption]
  /// The kind of each word; the last one serves all further words.
  let completes: [WordKind]

  init(
    _ words: String = "", usage: String? = nil, options: [ToolOption] = [],
    completes: [WordKind] = []
  ) {
    (self.words, self.usage) = (words, usage ?? words)
    (self.options, self.completes) = (options, completes)
  }
}

package struct ToolCommand: Sendable {
  enum Kind: Sendable {
    /// Does something, or has a result for programs.
    case act
    /// Only shows something: a reader that leaves early has seen enough.
    case show
    /// As `show`, and the result may be longer than a screen.
    case page
    /// As `show`; that the daemon does not run is a result.
    case state
  }

  package static let all =
    QueryCommands.all + ListCommands.all + MachineCommands.all + FileCommands.all

  /// No command: the state of the daemon, the lists at work, and the first commands.
  static let brief = ToolCommand("", CommandSyntax(), "", .state, help: "", run: DaemonTalk.brief)
  static let version = ToolCommand(
    "--version", CommandSyntax(), "", .show, help: "", run: DaemonTalk.version)

  package let name: String
  let syntax: CommandSyntax
  /// A line of the overview, and of the completions.
  let summary: String
  let kind: Kind
  let help: String
  private let reader: @Sendable (ToolArguments) throws(TextProblem) -> ToolTask.Work
  /// Names the deed that the daemon has refused; called with the first word, in quotes.
  private var deed: @Sendable (String?) -> String? = { _ in nil }

  init<Value: Sendable>(
    _ name: String, _ syntax: CommandSyntax, _ summary: String, _ kind: Kind = .act, help: String,
    read: @escaping @Sendable (ToolArguments) -> () throws(TextProblem) -> Value,
    run: @escaping @Sendable (DaemonTalk) -> (Value) throws(ControlFailure) -> ExitCode
  ) {
    (self.name, self.syntax, self.summary) = (name, syntax, summary)
    (self.kind, self.help) = (kind, help)
    reader = { (arguments) throws(TextProblem) in
      let value = try read(arguments)()
      return (value, { (talk) throws(ControlFailure) in try run(talk)(value) })
    }
  }

  /// A command without words.
  init(
    _ name: String, _ syntax: CommandSyntax, _ summary: String, _ kind: Kind = .act, help: String,
    run: @escaping @Sendable (DaemonTalk) -> () throws(ControlFailure) -> ExitCode
  ) {
    self.init(
      name, syntax, summary, kind, help: help, read: ToolArguments.nothing,
      run: { talk in { (_: Void) throws(ControlFailure) in try run(talk)() } })
  }

  func failing(_ deed: @escaping @Sendable (String?) -> String?) -> ToolCommand {
    var command = self
    command.deed = deed
    return command
  }

  func failing(to verb: String) -> ToolCommand { failing { $0.map { "\(verb) \($0)" } } }

  package static func named(_ name: String) -> ToolCommand? { all.first { $0.name == name } }

  func read(_ arguments: ToolArguments) throws(TextProblem) -> ToolTask {
    let first = arguments.words.first.map { "'\(Printable.text($0))'" }
    return ToolTask(command: self, work: try reader(arguments), deed: deed(first))
  }

  /// Its own options first: `-f` has another meaning for `log` than for `develop`.
  func option(_ written: String) -> ToolOption? {
    (syntax.options + ToolOption.common).first { $0.isWritten(written) }
  }
}

/// A command with the words and options of a command line.
package struct ToolTask: Sendable {
  typealias Work = (
    value: any Sendable, run: @Sendable (DaemonTalk) throws(ControlFailure) -> ExitCode
  )

  package let command: ToolCommand
  let work: Work
  /// The deed that fails if the daemon refuses.
  let deed: String?

  /// As the command's reader has made it.
  package var value: any Sendable { work.value }
}
