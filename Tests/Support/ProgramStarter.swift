// SPDX-License-Identifier: Apache-2.0
// Starts programs from one thread that lives as long as the tests, so that the kernel ends a program
// only when the tests are gone (PR_SET_PDEATHSIG follows the thread, not the process). Concurrency
// model: `jobs` guards the pending starts; one thread takes them.

import Foundation
internal import Linux
import Synchronization

final class ProgramStarter: Sendable {
  static let shared = Result { try ProgramStarter() }

  private let jobs = Mutex<[@Sendable () -> Void]>([])
  private let bell = DispatchSemaphore(value: 0)

  private init() throws {
    try OwnThread.start("starter") { [self] in
      while true {
        bell.wait()
        let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        job?()
      }
    }
  }

  func run<Result: Sendable>(_ act: @escaping @Sendable () throws -> Result) async throws -> Result
  {
    try await withCheckedThrowingContinuation { continuation in
      jobs.withLock { jobs in
        jobs.append { continuation.resume(with: Swift.Result { try act() }) }
      }
      bell.signal()
    }
  }
}
