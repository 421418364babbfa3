// SPDX-License-Identifier: Apache-2.0
// Runs a test's body on a thread of its own, as the inbox does: claims wait for asynchronous calls, and
// the pool that answers those calls must stay free.

import Linux

func onOwnThread(_ body: @escaping @Sendable () throws -> Void) async throws {
  try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
    OwnThread.start("test") { done.resume(with: Result { try body() }) }
  }
}
