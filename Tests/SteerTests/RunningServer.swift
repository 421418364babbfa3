// SPDX-License-Identifier: Apache-2.0
// A control server with its own reactor.

import Linux
import Steer
import Support
import Vocabulary

final class RunningServer: Sendable {
  private let server: ControlServer
  private let end = ChangeSignal()

  init(
    path: String, handler: any ControlService, clock: any Timekeeper,
    limits: ControlLimits = ControlLimits()
  ) throws {
    // A caller waits for an answer in real time.
    try TestHomes.settle()
    server = try ControlServer(path: path, version: "1.0", clock: clock, limits: limits)
    try Reactor.start("control") { [server, end] reactor in
      await server.run(handler, on: reactor)
      end.changed()
    }
  }

  func stop() { server.stop() }

  func stopped() async { await end.change(after: 0) }
}
