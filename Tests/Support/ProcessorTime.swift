// SPDX-License-Identifier: Apache-2.0
// The processor time of the calling thread: what a piece of work costs, however busy the machine is.

import Foundation

package enum ProcessorTime {
  /// Of the calling thread, since it began.
  package static var ofThread: Duration {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// The least of several runs: the caches of a busy machine are cold, and a thread may share its core.
  package static func cost<Problem: Error>(
    runs: Int = 3, of act: () throws(Problem) -> Void
  ) throws(Problem) -> Duration {
    var least = Duration.seconds(1_000_000)
    for _ in 0..<runs {
      let start = ofThread
      try act()
      least = min(least, ofThread - start)
      // Enough for any limit.
      if least < .milliseconds(5) { break }
    }
    return least
  }
}
