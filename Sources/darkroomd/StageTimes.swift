// SPDX-License-Identifier: Apache-2.0
// How long the steps of the photos on their way took: in memory only, for the result and the report.
// Concurrency model: one Mutex around the dictionary; bounded by the window.

import Synchronization
import Vocabulary

struct StageTime: Equatable, Sendable {
  var queued = Duration.zero
  var download: Duration?
  var filter: Duration?
  var output: Duration?
  var httpStatus: UInt32?
}

extension Failure {
  /// What the origin answered, where that is the failure: `http.404`.
  var httpStatus: UInt32? {
    code.hasPrefix("http.") ? UInt32(code.dropFirst("http.".count)) : nil
  }
}

final class StageTimes: Sendable {
  private let times = Mutex<[PhotoID: StageTime]>([:])

  func note(_ photo: PhotoID, _ change: (inout StageTime) -> Void) {
    times.withLock { change(&$0[photo, default: StageTime()]) }
  }

  func read(_ photo: PhotoID) -> StageTime { times.withLock { $0[photo] ?? StageTime() } }

  /// A list was cancelled while photos were on their way.
  func forget(_ list: ListID) {
    times.withLock { times in times = times.filter { $0.key.list != list } }
  }

  /// The photo's way is over; what is not taken is forgotten with it.
  func take(_ photo: PhotoID) -> StageTime {
    times.withLock { $0.removeValue(forKey: photo) ?? StageTime() }
  }
}
