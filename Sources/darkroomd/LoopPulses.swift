// SPDX-License-Identifier: Apache-2.0
// The loops that the watchdog judges: those that never wait for a disk. A disk that hangs is no reason
// to be killed, so the syncer, the journal writer, the inbox and the transfers are not among them.

import Report

struct LoopPulses: Sendable {
  let main = Heartbeat("main")
  let control = Heartbeat("control")
  let workers = Heartbeat("workers")

  var all: [Heartbeat] { [main, control, workers] }
}
