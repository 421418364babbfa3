// SPDX-License-Identifier: Apache-2.0
// The end of the daemon as the process sees it. The tests of the daemon as a process send the signals.

import Linux
import Record
import Report
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct LifecycleTests {
  /// A life that sees these ends, which come in this order; returns its code, and whether the daemon was
  /// asked to stop.
  private func live(
    _ ends: [Lifecycle.End], telling told: ToldLines? = nil
  ) async throws -> (code: Int32, isStopping: Bool) {
    let scratch = try FreshFolder()
    try Places.make(root: scratch.path)
    let told = try told ?? ToldLines()
    let ground = try Ground(
      .below(scratch.path), LiveSettings(Settings()), clock: SimulatedClock(),
      reporter: told.reporter,
      status: .unheard
    ) { _ in }
    let source = ConfigurationFile(path: "\(scratch.path)/darkroomd.conf", isNamed: false)
    let mailbox = try Mailbox<Lifecycle.End>()
    let life = Lifecycle(
      darkroom: try Darkroom(ground, source, leavesHooks: false), signals: try Signals([]),
      ends: mailbox,
      stop: ground.stop, reporter: told.reporter)
    for end in ends { mailbox.put(end) }
    let code = await Reply.wait { reply in
      #expect(throws: Never.self) {
        try Reactor.start("life") { reactor in reply.give(await life.run(on: reactor)) }
      }
    }
    await ground.recorder.close()
    return (code, ground.stop.isOn)
  }

  @Test func `a daemon that has stopped ends with success`() async throws {
    let end = try await live([.stopped])
    #expect(end.code == ExitCode.done)
  }

  @Test func `an idle daemon stops first, and ends with the code of its lists`() async throws {
    let end = try await live([.idle(3), .stopped])
    #expect(end.code == 3 && end.isStopping)
  }

  @Test func `a dead journal ends the daemon at once, and says why`() async throws {
    let told = try ToldLines()
    let full = Failure(.machine, code: "disk.full", reason: "no space left on device")
    let end = try await live([.journalDied(full), .stopped], telling: told)
    #expect(end.code == ExitCode.io && !end.isStopping)
    #expect(told.holds("Could not write the journal file: no space left on device"))
  }
}
