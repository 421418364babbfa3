// SPDX-License-Identifier: Apache-2.0
// darkroomctl: reads the command line, runs the command, and exits with a code. Errors are one line on
// standard error.

internal import Linux
internal import Vocabulary

@main
enum DarkroomTool {
  static func main() {
    ThisProcess.reportLongFiles()
    let arguments = Array(CommandLine.arguments.dropFirst())
    let voice = ToolVoice.standard().speaking(json: ToolArguments.wantJSON(arguments))
    let code: ExitCode
    do throws(TextProblem) {
      let order = try ToolArguments.read(
        arguments, defaultRoot: Surroundings.variable("DARKROOM_ROOT"))
      code = page(order, voice.speaking(plain: order.isPlain))
    } catch {
      voice.complain("usage", "\(error)")
      code = .usage
    }
    ThisProcess.end(with: code.rawValue)
  }

  private static func page(_ order: ToolOrder, _ voice: ToolVoice) -> ExitCode {
    let pager = ToolPager.start(order, voice.screen)
    let code = run(order, order.task.command.kind == .act ? voice : voice.endingQuietly())
    pager?.end()
    return code
  }

  private static func run(_ order: ToolOrder, _ voice: ToolVoice) -> ExitCode {
    DaemonTalk(
      order: order, voice: voice.hinting(socket: order.socket), clock: MachineTime(),
      users: { Surroundings.userName($0) }, caller: ThisProcess.user
    ).run()
  }
}
