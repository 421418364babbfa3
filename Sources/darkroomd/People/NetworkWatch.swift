// SPDX-License-Identifier: Apache-2.0
// Says when this machine has a network again while lists wait for that: a network that comes back rings no bell, and the
// photos of these lists are tried after pauses that grow. Raises nothing.
// Concurrency: a task of the daemon. It looks only while a list waits for the network.

import Linux
import Vocabulary

struct NetworkWatch: Sendable {
  static let interval = Duration.milliseconds(500)

  let hasNetwork: @Sendable () -> Bool
  let clock: any Timekeeper
  /// Rings when trouble begins or ends.
  let changes: ChangeSignal

  /// Runs until it is cancelled.
  func run(isTroubled: () -> Bool, _ reconnect: () -> Void) async {
    while !Task.isCancelled {
      let seen = changes.version
      if isTroubled() {
        guard let isBack = await lookOnDisk(hasNetwork) else { return }
        if isBack { reconnect() }
      } else {
        await changes.change(after: seen)
      }
      await clock.rest(Self.interval)
    }
  }
}
