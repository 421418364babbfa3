// SPDX-License-Identifier: Apache-2.0
// darkroomd --run-hooks, the program of darkroom-hooks.service: works off the orders for hooks, waits a moment for
// more, and ends. Returns the exit code; raises `StartFailure`.
// Concurrency: the main thread does everything but the reports.

import Linux
import Report
import Return
import Vocabulary

enum HookService {
  /// With many short lists the service is started every few seconds at most, not for each list.
  private static let linger = Duration.seconds(3)

  static func run(_ options: CommandLineOptions) throws(StartFailure) -> Int32 {
    let signals = try StartFailure.unless("signals") { () throws(SystemError) in
      try Signals([Signals.hangup, Signals.interrupt, Signals.terminate])
    }
    ThisProcess.clearAmbientCapabilities()
    let places = try options.places()
    let source = options.source(places)
    let reporter = try options.reporter(Surroundings.environment(), Settings())
    let outbox = try StartFailure.unless("with the orders for hooks") { () throws(SystemError) in
      HookOutbox(try HookSeat.folder(places))
    }
    let changes = ChangeSignal()
    let health = HealthBoard(reporter, inbox: places.inbox, changes: changes)
    var runner = HookRunner(
      outbox, in: places, reporter: reporter, health: health, changes: changes
    ) { () throws(Failure) in
      do throws(Failure) { return try source.read().settings.hooks } catch {
        throw Failure(
          .machine, code: error.code, reason: "could not read the settings: \(error.reason)")
      }
    }
    runner.run(until: signals.descriptor, linger: linger)
    reporter.flush(within: .seconds(1))
    return ExitCode.done
  }
}

/// The right to work off the orders: one process at a time has it, until it ends.
struct HookSeat: Sendable {
  private let lock: LinuxFile

  /// Raises EAGAIN if another process has it.
  init(_ places: Places) throws(SystemError) {
    lock = try Self.folder(places).openFile(FileName(literal: ".lock"), .ensure)
    try lock.lock()
  }

  static func folder(_ places: Places) throws(SystemError) -> LinuxFolder {
    try LinuxFolder.open(path: places.state)
      .openFolder(FileName(literal: "hooks"), creating: true)
  }
}
