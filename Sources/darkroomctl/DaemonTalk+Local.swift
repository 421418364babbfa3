// SPDX-License-Identifier: Apache-2.0
// The commands that work in this process, some of them with workers of their own; and the questions of `submit`: where
// the inbox is, and what became of a file in it.

internal import Linux
internal import Steer
internal import Vocabulary
internal import Worker

extension DaemonTalk {
  func help(_ command: String?) -> ExitCode {
    voice.say(HelpPage.text(command.flatMap { ToolCommand.named($0) }, voice.screen))
    return .done
  }

  func version() -> ExitCode {
    voice.say("darkroomctl \(Release.version)\n")
    return .done
  }

  func completion(_ shell: ShellCompletion) -> ExitCode {
    voice.say(shell.text)
    return .done
  }

  func verify(_ list: ListReference) throws(ControlFailure) -> ExitCode {
    try VerifyRun(self).run(list)
  }

  func journal(_ task: JournalTask) -> ExitCode {
    JournalRun(task: task, voice: voice, isJSON: order.isJSON).run()
  }

  func log(_ task: LogTask) -> ExitCode {
    let place = LogPlace.of(
      socket: order.socket, home: Surroundings.variable("HOME"), user: ThisProcess.user,
      process: { ProcessFacts(listeningAt: $0) })
    return LogRun(
      task, self, at: place, localTime: { Surroundings.localTime(milliseconds: $0) }
    ).run()
  }

  func submit(_ task: SubmitTask) -> ExitCode {
    withWorkers { await SubmitRun(task: task, talk: self, workers: $0).run() }
  }

  func check(_ file: String) -> ExitCode {
    withWorkers {
      await CheckRun(file: file, workers: $0, voice: voice, isJSON: order.isJSON).run()
    }
  }

  func develop(_ task: DevelopTask) -> ExitCode {
    let width = min(task.jobs ?? ThisProcess.processors, task.files.count)
    return withWorkers(width) {
      await DevelopRun(
        task: task, workers: $0, width: width, voice: voice, isJSON: order.isJSON
      ).run()
    }
  }

  /// Runs tasks on this thread: Swift's own pool would start four threads, which cost more than the rest of
  /// the tool.
  private func withWorkers(
    _ width: Int = 1, _ work: @escaping @Sendable (any Workers) async -> ExitCode
  ) -> ExitCode {
    ThisProcess.shareOneHeap()
    ThisProcess.raiseDescriptorLimit()
    do throws(SystemError) {
      let reactor = try Reactor()
      TaskHome.settle(quick: reactor, disk: reactor)
      let code = reactor.work { await withPool(width, work).rawValue }
      return ExitCode(rawValue: code) ?? .failed
    } catch {
      voice.complain(error.failure.code, error.failure.words)
      return .failed
    }
  }

  private func withPool(_ width: Int, _ work: (any Workers) async -> ExitCode) async -> ExitCode {
    let workers: WorkerPool
    do throws(SystemError) {
      workers = try WorkerPool.alone(WorkerSettings(path: ThisProcess.workerPath, width: width))
    } catch {
      voice.complain(error.failure.code, error.failure.words)
      return .failed
    }
    let code = await work(workers)
    // Waiting for the worker includes it in measurements of this process, such as time(1).
    workers.shutdown()
    await workers.ended()
    return code
  }

  // MARK: the questions of `submit`

  enum Fate {
    case list(UInt64)
    case rejected(why: String)
    /// It stays in the inbox, and becomes no list.
    case ignored(why: String)
  }

  private static let pause = Duration.milliseconds(100)

  /// The status of the daemon, and the highest number of a list.
  func intake() throws(ControlFailure) -> (status: StatusReport, newest: UInt64) {
    let (report, lists) = (try ask(StatusOrder()).status, try ask(ListsOrder()).lists)
    return (report, lists.map(\.id).max() ?? 0)
  }

  /// Waits while the file is in the inbox; fails if the daemon cannot see it there. Goes by its name among the
  /// files that have left, not by the names of lists: another user may have a list of that name.
  func fate(
    of file: String, after newest: UInt64, until deadline: Duration?
  ) throws(ControlFailure) -> Fate {
    while true {
      let report = try ask(InboxOrder()).inbox
      let own = report.files.filter { $0.name == file }
      if own.isEmpty, report.more == 0, !report.trouble.isEmpty {
        throw .refused(.notPossible(why: report.trouble))
      }
      if !own.contains(where: { $0.fate == InboxFile.Fate.waiting.rawValue }) {
        // An older number only if the file is a copy of a list at work.
        let gone = own.last { $0.fate == InboxFile.Fate.accepted.rawValue && $0.list > newest }
        let ignored = own.first { $0.fate == InboxFile.Fate.ignored.rawValue }
        if gone == nil, let ignored { return .ignored(why: ignored.why) }
        if let gone = gone ?? (report.more == 0 ? own.last : nil) {
          return gone.fate == InboxFile.Fate.rejected.rawValue
            ? .rejected(why: gone.why) : .list(gone.list)
        }
      }
      if let deadline, clock.uptime() >= deadline { throw .timeIsOver }
      _ = try? Poll.wait([], for: Self.pause)
    }
  }

  func summary(of list: ListReference) throws(ControlFailure) -> ListSummary {
    try ask(ShowOrder(list: list, limit: 0)).list
  }
}
