// SPDX-License-Identifier: Apache-2.0
// Looks at the place of Blobs= again and again, and shows its trouble. A shared folder whose server is away may hang, so
// that the looks run beside everything else, and a stop waits for none. Raises nothing.
// Concurrency: a task of the daemon; `trouble` runs in the disk home.

import Linux
import Vocabulary

struct ShelfWatch: Sendable {
  /// May hang.
  let trouble: @Sendable () -> Failure?
  let health: HealthBoard
  let clock: any Timekeeper

  /// Runs until it is cancelled.
  func run(every pause: () -> Duration) async {
    while !Task.isCancelled {
      guard let found = await lookOnDisk(trouble) else { return }
      if found != health.health[.blobs] { health.set(found, for: .blobs) }
      await clock.rest(pause())
    }
  }
}
