// SPDX-License-Identifier: Apache-2.0
// Counts the open connections, and wakes a thread that waits for the last one to end.
// Concurrency model: one Mutex around the number; the event is rung with it released.

internal import Linux
internal import Synchronization
package import Vocabulary

package final class WebClients: Sendable {
  private let number = Mutex(0)
  private let wake: WakeEvent

  package init() throws(SystemError) { wake = try WakeEvent() }

  package var count: Int { number.withLock { $0 } }

  /// Readable after the first client has come, or the last one has left; `clear` it before `count` is read.
  package var descriptor: Int32 { wake.descriptor }
  package func clear() { wake.clear() }

  func changed(by step: Int) {
    let isEdge = number.withLock { number in
      number += step
      return number == 0 || (number == 1 && step > 0)
    }
    if isEdge { wake.ring() }
  }
}
