// SPDX-License-Identifier: Apache-2.0
// Looks at the disks while something waits for one, and says when they are better. Raises nothing.
// Concurrency: a task of the daemon; `rooms` runs in the disk home. It looks only while there is trouble.

import Linux
import Vocabulary

struct ReliefWatch: Sendable {
  /// The rooms of the folders, by name.
  let rooms: @Sendable () -> [String: DiskRoom]
  let clock: any Timekeeper
  /// Rings when trouble begins or ends.
  let changes: ChangeSignal

  /// Runs until it is cancelled.
  func run(isTroubled: () -> Bool, _ relieve: () -> Void) async {
    var relief = DiskRelief()
    while !Task.isCancelled {
      let seen = changes.version
      if isTroubled() {
        guard let found = await lookOnDisk(rooms) else { return }
        if relief.take(found, at: clock.uptime()) { relieve() }
      } else {
        relief = DiskRelief()
        await changes.change(after: seen)
      }
      await clock.rest(DiskRelief.interval)
    }
  }
}
