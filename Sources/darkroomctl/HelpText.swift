// SPDX-License-Identifier: Apache-2.0
// The text of `darkroomctl help`, a summary of darkroomctl(1).

package enum HelpText {
  package static let overview = """
    Query and control darkroomd, the photo list daemon.

    Usage: darkroomctl [--root DIR | --socket PATH] [--json | --plain] [COMMAND ...]

    \(commands)

    LIST is the number or the name of a list. Without a command, darkroomctl shows the state of
    darkroomd and the lists with work left.

      --root DIR             use the darkroomd that was started with this --root; default:
                             $DARKROOM_ROOT
      --socket PATH          use this control socket
      --json                 print results and errors as JSON
      --plain                print columns for scripts: no headings, one TAB between columns
      --no-pager             show long results without $DARKROOM_PAGER, $PAGER or less
      -h, --help             show this text, or the help of the command
      --version              print the version
      --                     end the options

    See darkroomctl(1), and photo-list(5) for the format of lists.

    """

  /// A line for each command.
  private static var commands: String {
    ToolCommand.all.map { command in
      let item = [command.name, command.syntax.words].filter { !$0.isEmpty }.joined(separator: " ")
      return "  \(item)" + String(repeating: " ", count: 23 - item.count) + command.summary
    }.joined(separator: "\n")
  }

  package static func text(_ command: ToolCommand?) -> String {
    guard let command else { return overview }
    let words = [command.name, command.syntax.usage].filter { !$0.isEmpty }
    return "Usage: darkroomctl \(words.joined(separator: " "))\n\n\(command.help)\n"
  }
}
