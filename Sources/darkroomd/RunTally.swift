// SPDX-License-Identifier: Apache-2.0
// What this run came to, for the exit code of --until-idle. Concurrency model: one Mutex.

import Record
import Synchronization
import Vocabulary

final class RunTally: Sendable {
  private struct State {
    var lists: Set<ListID> = []
    var rejected = 0
  }

  private let state = Mutex(State())

  func worked(on list: ListID) { state.withLock { _ = $0.lists.insert(list) } }
  func rejected() { state.withLock { $0.rejected += 1 } }

  /// 0 every photo is filtered; 3 something failed or was rejected; 4 something waits for a person.
  func exitCode(_ recorder: Recorder, waiting: Int) -> Int32 {
    let (lists, rejected) = state.withLock { ($0.lists, $0.rejected) }
    let entries = recorder.ledger { ledger in lists.compactMap { ledger[$0] } }
    if rejected > 0 || entries.contains(where: { $0.counts.failed > 0 }) { return 3 }
    if waiting > 0 || entries.contains(where: { $0.state == .paused }) { return 4 }
    return 0
  }
}
