// SPDX-License-Identifier: Apache-2.0
// --until-idle: ends the daemon once a whole sweep of the inbox finds nothing that could become a list
// and every list is finished, cancelled, paused or beyond opening. What waits for another attempt is waited for.

import Accept
import Chain
import Record
import Vocabulary

struct IdleWatch: Sendable {
  let darkroom: Darkroom
  let ends: EndSignal

  func run() async {
    while !darkroom.isStopping {
      let report = await darkroom.inbox.sweepNow()
      if report.isStopped { return }
      if report.isEmpty, areListsSettled {
        let code = darkroom.tally.exitCode(
          darkroom.recorder,
          waiting: report.unreadable + darkroom.chores.left)
        ends.end(.idle(code))
        return
      }
      // A file that waits for its writer or for quiet changes without a list changing; so do the
      // last steps of a paused list.
      if report.isEmpty, isWorkLeft {
        await ends.nextChange()
      } else {
        await darkroom.rest(.milliseconds(100))
      }
    }
  }

  private var isWorkLeft: Bool {
    let abandoned = darkroom.chores.abandoned
    return darkroom.recorder.ledger { ledger in
      ledger.openLists.contains { $0.state != .paused && !abandoned.contains($0.id) }
    }
  }

  private var areListsSettled: Bool {
    // In the order in which a list ends: what has left one is seen in the next.
    if isWorkLeft { return false }
    let counts = darkroom.runner.counts()
    return counts.inFlight == 0 && counts.finishing == 0 && !darkroom.isClosing
  }
}
