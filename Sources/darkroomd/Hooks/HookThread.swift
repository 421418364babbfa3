// SPDX-License-Identifier: Apache-2.0
// Runs the hooks of a daemon that runs them itself. `run` returns after `stop`, which kills the running program and
// keeps its order. Raises nothing: without a thread the orders wait.
// Concurrency: immutable; a separate thread owns the runner.

import Linux
import Report
import Vocabulary

final class HookThread: Sendable {
  private let desk: HookDesk
  private let reporter: Reporter
  private let changes: ChangeSignal
  private let end: WakeEvent

  init(_ desk: HookDesk, reporter: Reporter, changes: ChangeSignal) throws(SystemError) {
    self.desk = desk
    self.reporter = reporter
    self.changes = changes
    end = try WakeEvent()
  }

  func stop() { end.ring() }

  func run() async {
    await Reply.wait { (reply: Reply<Void>) in
      do throws(SystemError) {
        try OwnThread.start("hooks") { [self] in
          work()
          reply.give()
        }
      } catch {
        desk.health.set(error.machineFailure, for: .hooks)
        reply.give()
      }
    }
  }

  private func work() {
    let settings = desk.settings
    var runner = HookRunner(
      desk.outbox, in: desk.places, reporter: reporter, health: desk.health, changes: changes
    ) { settings.current.hooks }
    runner.run(until: end.descriptor, bell: desk.bell)
  }
}
