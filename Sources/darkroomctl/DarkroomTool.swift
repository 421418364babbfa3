// SPDX-License-Identifier: Apache-2.0
// darkroomctl: reads the command line, runs the command, and exits with a code. Errors are one line on
// standard error.

internal import Linux
internal import Vocabulary
internal import Worker

@main
enum DarkroomTool {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let voice = ToolVoice.standard().speaking(json: ToolArguments.wantJSON(arguments))
    let code: ExitCode
    do throws(UsageError) {
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
    let code = run(order, order.command.isQuery ? voice.endingQuietly() : voice)
    pager?.end()
    return code
  }

  private static func run(_ order: ToolOrder, _ plain: ToolVoice) -> ExitCode {
    let voice = plain.hinting(socket: order.socket)
    switch order.command {
    case .help(let command):
      voice.say(HelpPage.text(command, voice.screen))
      return .done
    case .version:
      voice.say("darkroomctl \(Release.version)\n")
      return .done
    case .develop, .check, .submit: return local(order, voice)
    case .journal(let task):
      return JournalRun(task: task, voice: voice, isJSON: order.isJSON).run()
    case .log(let task):
      let place = LogPlace.of(
        socket: order.socket, home: Surroundings.variable("HOME"), user: ThisProcess.user,
        process: { ProcessFacts(listeningAt: $0) })
      return LogRun(
        task, daemonTalk(order, voice), at: place,
        localTime: { Surroundings.localTime(milliseconds: $0) }
      ).run()
    default: return talk(order, voice)
    }
  }

  private static func talk(_ order: ToolOrder, _ voice: ToolVoice) -> ExitCode {
    daemonTalk(order, voice).run() ?? .usage
  }

  private static func daemonTalk(_ order: ToolOrder, _ voice: ToolVoice) -> DaemonTalk {
    DaemonTalk(
      order: order, voice: voice, clock: MachineTime(), users: { Surroundings.userName($0) },
      caller: ThisProcess.user)
  }

  /// Runs tasks on this thread: Swift's own pool would start four threads, which cost more than the rest of
  /// the tool.
  private static func local(_ order: ToolOrder, _ voice: ToolVoice) -> ExitCode {
    ThisProcess.shareOneHeap()
    ThisProcess.raiseDescriptorLimit()
    do throws(SystemError) {
      let reactor = try Reactor()
      TaskHome.settle(quick: reactor, disk: reactor)
      let code = reactor.work { await developOrCheck(order, voice).rawValue }
      return ExitCode(rawValue: code) ?? .failed
    } catch {
      voice.complain(error.failure.code, error.failure.words)
      return .failed
    }
  }

  private static func developOrCheck(_ order: ToolOrder, _ voice: ToolVoice) async -> ExitCode {
    let workers: WorkerPool
    do throws(SystemError) {
      workers = try WorkerPool.alone(
        WorkerSettings(path: ThisProcess.workerPath, width: width(order)))
    } catch {
      voice.complain(error.failure.code, error.failure.words)
      return .failed
    }
    let code = await local(order, voice, workers)
    // Waiting for the worker includes it in measurements of this process, such as time(1).
    workers.shutdown()
    await workers.ended()
    return code
  }

  private static func width(_ order: ToolOrder) -> Int {
    guard case .develop(let task) = order.command else { return 1 }
    return min(task.jobs ?? ThisProcess.processors, task.files.count)
  }

  private static func local(_ order: ToolOrder, _ voice: ToolVoice, _ workers: any Workers) async
    -> ExitCode
  {
    switch order.command {
    case .develop(let task):
      await DevelopRun(
        task: task, workers: workers, width: width(order), voice: voice, isJSON: order.isJSON
      ).run()
    case .check(let file):
      await CheckRun(
        file: file, workers: workers, voice: voice, isJSON: order.isJSON
      ).run()
    case .submit(let task):
      await SubmitRun(task: task, talk: daemonTalk(order, voice), workers: workers).run()
    default: .usage
    }
  }
}
