// SPDX-License-Identifier: Apache-2.0
// From the command line to a running daemon, one line a step. Signals, capabilities and limits come first,
// before the first thread. Raises `StartFailure`; `Opening` has the steps that need the disk of the state.
// Concurrency: runs on the main thread, which then serves the reactor until the end.

import Linux
import Report
import Return
import Steer
import Systemd
import Vocabulary

enum Startup {
  /// The limit on threads that hang in calls to a disk; beyond it other disk work waits. The steps of a list
  /// on a dead disk, at most 256 by `Workers=`, leave threads for all other work.
  private static let mostDiskThreads = 320

  static func run(_ options: CommandLineOptions) throws(StartFailure) -> Int32 {
    let signals = try part("signals") { () throws(SystemError) in
      try Signals([Signals.hangup, Signals.interrupt, Signals.terminate])
    }
    ThisProcess.shareOneHeap()
    ThisProcess.clearAmbientCapabilities()
    ThisProcess.raiseDescriptorLimit()
    try checkDescriptorLimit()
    let task = try task(options)
    let named = if let task { task.places } else { try options.places() }
    let source = options.source(named)
    let settings = try settings(source)
    tellNotes(settings.current, named, isTask: task != nil)
    if task != nil { _ = settings.replace(with: PartTask.settings(settings.current)) }
    let places = try ClusterNode.places(
      task == nil ? named.withCache(Surroundings.environment()["CACHE_DIRECTORY"]) : named,
      settings.current.cluster)
    let (pulse, pulses) = (Heartbeat(), Pulses())
    let reactor = try part("the main loop") { () throws(SystemError) in try Reactor(pulse: pulse) }
    let clock = try part("the clock") { () throws(SystemError) in try SystemClock(on: reactor) }
    let hasStore = settings.current.cluster.hasStore
    try part("the tasks") { () throws(SystemError) in
      try settleTasks(clock, hasStore: hasStore, pulses)
    }
    let environment = Surroundings.environment()
    let reporter = try options.reporter(environment, settings.current)
    let isService = ServiceNotice.isWanted(environment)
    let status = try part("the messages to the service manager") { () throws(SystemError) in
      isService ? try ServiceStatus { try? $0.send() } : .unheard
    }
    let ends = try part("the mailbox") { () throws(SystemError) in try Mailbox<Lifecycle.End>() }
    var parts = Opening.Parts()
    // First, since it names another daemon. `Opening` deals with a disk in trouble.
    do throws(StartFailure) { parts.lock = try lock(places) } catch {
      guard error.trouble != nil else { throw error }
    }
    let control =
      if task == nil { try Self.control(places, clock, pulses.calls) } else { ControlServer?.none }
    let desk = try part("the front desk") { () throws(SystemError) in
      try FrontDesk(places, source, clock: clock)
    }
    // Without a manager nothing would start the process again.
    if isService { try watch(pulse, pulses) }
    let opening = Opening(
      desk: desk, signals: signals, status: status, reporter: reporter,
      rooms: { places.rooms(withInbox: false) },
      mount: { (try? LinuxFolder.open(path: places.state)).flatMap { MountRights(of: $0) } },
      stale: StaleMount(patience: isService ? StaleMount.pause : nil)
    ) { parts throws(StartFailure) in
      let lock = try Opening.Parts.keep(&parts.lock) { () throws(StartFailure) in
        try Self.lock(places)
      }
      let ground = try Opening.Parts.keep(&parts.ground) { () throws(StartFailure) in
        try Ground(
          places, settings, clock: clock, reporter: reporter, status: status,
          kind: task.map { .part($0.order) }
            ?? .daemon(options.expiresAtOnce ? .none : .full),
          died: { ends.put(.journalDied($0)) })
      }
      try ground.checkSeat()
      try task?.begin(ground.recorder)
      return Opening.Made(
        lock: lock, ground: ground,
        darkroom: try Darkroom(ground, source, leavesHooks: options.leavesHooks))
    }
    return reactor.work { [parts] in
      await live(
        opening, from: parts, control, ends, on: reactor, untilIdle: options.untilIdle, of: task)
    }
  }

  private static func tellNotes(_ settings: Settings, _ places: Places, isTask: Bool) {
    let loss = isTask ? nil : settings.cluster.lossNote(state: places.state)
    for note in settings.notes + [loss].compactMap(\.self) { say("note: \(note)") }
  }

  /// Nil for a daemon.
  private static func task(_ options: CommandLineOptions) throws(StartFailure) -> PartTask? {
    guard let order = options.part else { return nil }
    return try PartTask.open(order, configuration: options.configuration)
  }

  /// Of the threads for tasks.
  private struct Pulses {
    let tasks = Heartbeat()
    let calls = Heartbeat()
  }

  private static func watch(_ pulse: Heartbeat, _ pulses: Pulses) throws(StartFailure) {
    let watchdog =
      ServiceNotice.watchdogPeriod().map { period in
        Watchdog(every: period) { try? ServiceNotice.watchdog.send() }
      } ?? Watchdog()
    try part("the watchdog") { () throws(SystemError) in
      let threads = [
        "the main loop", "the thread that keeps lists", "the thread that answers users",
      ]
      let calls = pulses.calls
      try watchdog.start([pulse, pulses.tasks, calls]) { stuck in
        let what = threads[stuck.min() ?? 0]
        let note = calls.work.isEmpty ? "" : "; these calls have no answer: \(calls.work)"
        complain(
          "\(what) is stuck; ending, so that the service manager starts darkroomd again\(note)")
        ThisProcess.abort()
      }
    }
  }

  /// From the first answer on the control socket to the end; returns the exit code.
  private static func live(
    _ opening: Opening, from parts: Opening.Parts, _ control: ControlServer?,
    _ ends: Mailbox<Lifecycle.End>, on reactor: Reactor, untilIdle: Bool, of task: PartTask?
  ) async -> Int32 {
    let (desk, reporter) = (opening.desk, opening.reporter)
    let stopped = task == nil ? ExitCode.done : ExitCode.stopped
    let serving = Task.detached(executorPreference: reactor) {
      if let control { await control.run(desk, on: reactor) }
    }
    do throws(StartFailure) {
      guard let made = try await opening.run(from: parts, on: reactor) else {
        await onDisk { opening.status.stopping() }
        control?.stop()
        reporter.flush(within: .seconds(1))
        return stopped
      }
      let (ground, darkroom) = (made.ground, made.darkroom)
      TaskHome.quick.start {
        await darkroom.run(
          control, serving, behind: desk, on: reactor, untilIdle: untilIdle, of: task,
          telling: ends)
      }
      let life = Lifecycle(
        darkroom: darkroom, signals: opening.signals, ends: ends, stop: ground.stop,
        reporter: reporter, stopped: stopped)
      let code = await life.run(on: reactor)
      withExtendedLifetime(made.lock) {}
      return code
    } catch {
      control?.stop()
      complain(error.words)
      return error.code
    }
  }

  private static func checkDescriptorLimit() throws(StartFailure) {
    let limit = FileShares.ofThisProcess.limit
    guard limit < FileShares.least else { return }
    throw StartFailure(
      ExitCode.io,
      "only \(limit) files may be open, and darkroomd needs \(FileShares.least); "
        + "raise LimitNOFILE= in the unit, or the limit of the shell: ulimit -n")
  }

  /// - Parameter secrets: also reads the secrets, which a start does later and the hooks never do.
  static func settings(
    _ source: ConfigurationFile, secrets: Bool = false
  ) throws(StartFailure) -> LiveSettings {
    do throws(Failure) {
      let (settings, origins) = try secrets ? source.readWithSecrets() : source.readChecked()
      return LiveSettings(settings, origins)
    } catch {
      throw StartFailure(
        error.kind == .machine ? ExitCode.io : ExitCode.configuration,
        "could not read the settings: \(error.reason)")
    }
  }

  /// The most requests to a store at a time, beside requests for lists that are submitted or removed.
  private static let storeThreads = 16

  /// Tasks that keep lists and tasks that answer users each have a thread that never waits for a disk.
  private static func settleTasks(
    _ clock: any Timekeeper, hasStore: Bool, _ pulses: Pulses
  ) throws(SystemError) {
    let quick = try OwnExecutor("tasks", threads: 1, pulse: pulses.tasks)
    let calls = try CallThread("calls", pulse: pulses.calls)
    let disk = try OwnExecutor(
      "disk", threads: ThisProcess.processors, most: mostDiskThreads, clock: clock)
    let store = hasStore ? try OwnExecutor("store", threads: storeThreads) : nil
    TaskHome.settle(quick: quick, disk: disk, store: store, calls: calls)
  }

  private static func control(
    _ places: Places, _ clock: any Timekeeper, _ calls: Heartbeat
  ) throws(StartFailure) -> ControlServer {
    do throws(Failure) {
      return try ControlServer(
        path: places.control, passed: ServiceNotice.passedSocket(at: places.control),
        version: Release.version, clock: clock,
        limits: ControlLimits(clients: FileShares.ofThisProcess.callers), pulse: calls)
    } catch {
      throw StartFailure(ExitCode.busy, error.words)
    }
  }

  private static func part<Part>(_ what: String, _ make: () throws(SystemError) -> Part)
    throws(StartFailure) -> Part
  {
    try StartFailure.unless(what, make)
  }

  /// Held until the process ends: two daemons on one state folder would undo each other's work.
  private static func lock(_ places: Places) throws(StartFailure) -> LinuxFile {
    let taken: StateLock.Taken
    do throws(SystemError) {
      taken = try StateLock.take(LinuxFolder.open(path: places.state))
    } catch {
      throw StartFailure(
        ExitCode.io, "could not lock the state folder: \(error)",
        trouble: error.isDiskTrouble ? error.machineFailure.code : nil)
    }
    switch taken {
    case .file(let file): return file
    case .isHeld(let process):
      let number = process.map { " (pid \($0))" } ?? ""
      throw StartFailure(
        ExitCode.busy,
        "another darkroomd\(number) uses \(places.state); stop it first, or give this one "
          + "another --root")
    }
  }
}
