// SPDX-License-Identifier: Apache-2.0
// From the command line to a running daemon, one line a step. What must come before the first thread
// comes first: signals, capabilities, limits.

import Journald
import Linux
import Report
import Vocabulary

enum Startup {
  static func run(_ options: CommandLineOptions) throws(StartFailure) -> Int32 {
    let signals = try part("signals") { () throws(SystemError) in
      try Signals([Signals.hangup, Signals.interrupt, Signals.terminate])
    }
    ThisProcess.shareOneHeap()
    ThisProcess.clearAmbientCapabilities()
    ThisProcess.raiseDescriptorLimit()
    let places = try places(options)
    let source = ConfigurationSource(
      path: options.configuration ?? places.configuration, isNamed: options.configuration != nil)
    let settings: Settings
    do throws(ConfigurationError) { settings = try source.read() } catch {
      throw StartFailure(ExitCode.configuration, "could not read the settings: \(error)")
    }
    let lock = try lock(places)
    TaskHome.settle(on: OwnExecutor(threads: ThisProcess.processors))
    let environment = Surroundings.environment()
    let clock = try part("the clock") { () throws(SystemError) in try SystemClock() }
    let reporter = try reporter(options, environment, settings)
    let socket = NotifySocket(environment: environment)
    let status = ServiceStatus(socket: socket, clock: clock)
    let ends = try part("the end signal") { () throws(SystemError) in try EndSignal() }
    let pulses = LoopPulses()
    let made = try waitingForRoom(signals, status, reporter) { () throws(StartFailure) in
      try Darkroom(
        places, source: source, settings: settings, clock: clock, reporter: reporter,
        status: status, ends: ends, pulses: pulses)
    }
    guard let darkroom = made else { return ExitCode.done }
    let watchdog = Watchdog(
      socket: socket, environment: environment, process: ThisProcess.identifier)
    for pulse in pulses.all { watchdog?.register(pulse) }
    watchdog?.start()
    try darkroom.start()
    if options.untilIdle {
      let watch = IdleWatch(darkroom: darkroom, ends: ends)
      TaskHome.start { await watch.run() }
    }
    let code = Lifecycle(
      darkroom: darkroom, signals: signals, ends: ends, pulse: pulses.main
    ).run()
    withExtendedLifetime(lock) {}
    return code
  }

  /// A full disk at start is waited out: whoever starts us again and again would give up. Nil when we
  /// were told to stop meanwhile.
  private static func waitingForRoom(
    _ signals: Signals, _ status: ServiceStatus, _ reporter: Reporter,
    _ make: () throws(StartFailure) -> Darkroom
  ) throws(StartFailure) -> Darkroom? {
    var isTold = false
    while true {
      do throws(StartFailure) { return try make() } catch {
        guard error.mayPass else { throw error }
        if !isTold {
          reporter.report(
            .machineTrouble(
              Failure(.machine, code: "disk.full", reason: error.words), waits: "the start waits"))
          isTold = true
        }
        status.set("Waiting: \(error.words).")
        status.extend(.seconds(30))
        _ = try? Poll.wait([Poll.Watch(signals.descriptor)], for: .seconds(5))
        if let signal = signals.next(), signal != Signals.hangup { return nil }
      }
    }
  }

  private static func part<Part>(_ what: String, _ make: () throws(SystemError) -> Part)
    throws(StartFailure) -> Part
  {
    try Darkroom.need(what, make)
  }

  private static func places(_ options: CommandLineOptions) throws(StartFailure) -> Places {
    guard let root = options.root else { return .system }
    do throws(SystemError) {
      let path = try ThisProcess.absolutePath(root)
      try Places.make(root: path)
      return .below(path)
    } catch {
      throw StartFailure(ExitCode.usage, "could not use the root \(Printable.text(root)): \(error)")
    }
  }

  /// Held for life: two daemons on one state folder would undo each other's work.
  private static func lock(_ places: Places) throws(StartFailure) -> LinuxFile {
    do throws(SystemError) {
      let state = try LinuxFolder.open(path: places.state)
      let file = try state.openFile(FileName(literal: "lock"), .ensure)
      do throws(SystemError) { try file.lockPatiently() } catch {
        guard error.code == 11 else { throw error }
        throw SystemError(code: 11, call: "lock", thing: Holder.words(of: file))
      }
      // For people only; a full disk must not keep us from starting.
      try? file.truncate(to: 0)
      try? file.write(Array("pid=\(ThisProcess.identifier)\n".utf8), at: 0)
      return file
    } catch {
      guard error.code == 11 else {
        throw StartFailure(ExitCode.io, "could not lock the state folder: \(error)")
      }
      throw StartFailure(
        ExitCode.busy,
        "another darkroomd\(error.thing) uses \(places.state); stop it first, or give this one "
          + "another --root")
    }
  }

  private enum Holder {
    /// ` (pid 42)`, for people; the lock itself knows nobody.
    static func words(of file: LinuxFile) -> String {
      guard let bytes = try? file.read(at: 0, upTo: 32), bytes.starts(with: Array("pid=".utf8))
      else { return "" }
      let digits = bytes.dropFirst(4).prefix { $0 >= 0x30 && $0 <= 0x39 }
      return digits.isEmpty ? "" : " (pid \(String(decoding: digits, as: UTF8.self)))"
    }
  }

  private static func reporter(
    _ options: CommandLineOptions, _ environment: [String: String], _ settings: Settings
  ) throws(StartFailure) -> Reporter {
    let sink = ReportSink.choose(
      environment: environment, asked: options.levelPrefixes ? .prefixed : nil)
    let reporter = try part("the reporter") { () throws(SystemError) in
      try Reporter(sink: sink, level: settings.transitions ? .debug : .info)
    }
    reporter.start()
    return reporter
  }
}
