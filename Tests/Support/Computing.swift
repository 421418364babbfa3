// SPDX-License-Identifier: Apache-2.0
// Threads for tests that compute for seconds without a pause. Swift's own pool has a thread for each
// processor: two such tests would stop all others, and the waits of those would run out.

import Linux
import Vocabulary

private let threads = Result { () throws(SystemError) in
  try OwnExecutor("test-compute", threads: 2)
}

package func computing<Value: Sendable>(
  _ act: @concurrent () async throws -> Value
) async throws -> Value {
  try await withTaskExecutorPreference(threads.get(), operation: act)
}
