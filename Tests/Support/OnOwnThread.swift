// SPDX-License-Identifier: Apache-2.0
// A thread for a call that blocks: Swift's pool has one for each processor, and who ends the wait may need it.

import Linux

package func onOwnThread<Value: Sendable>(
  _ call: @escaping @Sendable () throws -> Value
) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    do {
      try OwnThread.start("test") { continuation.resume(with: Result { try call() }) }
    } catch { continuation.resume(throwing: error) }
  }
}
