// SPDX-License-Identifier: Apache-2.0
// Looks at the place of Blobs= again and again, and shows its trouble. A shared folder can hang while its server is
// away, so the looks run beside everything else, and a stop of the daemon waits for no look. If prints could not be
// written there, the trouble lasts until something can. Raises nothing.
// Concurrency: a task of the daemon; `trouble` and `writeTrouble` run in the disk home.

import Linux
import Vocabulary

struct ShelfWatch: Sendable {
  /// May hang.
  let trouble: @Sendable () -> Failure?
  /// The same for an attempt to write.
  let writeTrouble: @Sendable () -> Failure?
  let health: HealthBoard
  let clock: any Timekeeper

  /// Runs until it is cancelled.
  func run(every pause: () -> Duration) async {
    while !Task.isCancelled {
      let known = health.health[.blobs]
      guard var found = await lookOnDisk(trouble) else { return }
      if found == nil, known?.scope == .prints {
        guard let written = await lookOnDisk(writeTrouble) else { return }
        found = written
      }
      // A print may have met trouble meanwhile.
      let isCurrent = health.health[.blobs] == known
      if isCurrent, found != known { health.set(found, for: .blobs) }
      await clock.rest(pause())
    }
  }
}
