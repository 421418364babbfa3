// SPDX-License-Identifier: Apache-2.0
// Runs a call that may hang forever on a separate thread, which is abandoned after the limit: a dead mount
// does not block the caller. Concurrency model: one Mutex around the answer; the caller sleeps on a signal.

import Synchronization
import Vocabulary

private final class Answer<Value: Sendable>: Sendable {
  let value = Mutex<Value?>(nil)
  let signal = ThreadSignal()
}

/// Nil if `act` takes longer than the limit, or if no thread can be made.
package func withPatience<Value: Sendable>(
  _ limit: Duration, _ act: @escaping @Sendable () -> Value
) -> Value? {
  let answer = Answer<Value>()
  do throws(SystemError) {
    try OwnThread.start("patience") {
      let value = act()
      answer.value.withLock { $0 = value }
      answer.signal.ring()
    }
  } catch { return nil }
  _ = answer.signal.wait(atMost: limit)
  return answer.value.withLock { $0 }
}
