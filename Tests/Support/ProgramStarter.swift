// SPDX-License-Identifier: Apache-2.0
// Starts programs from one thread that lives as long as the tests, so that the kernel ends a program
// that is still there when the tests are gone (PR_SET_PDEATHSIG counts threads, not processes).
// Concurrency model: `jobs` guards what is to be started; one thread takes.

import Foundation
internal import Linux
import Synchronization

final class ProgramStarter: Sendable {
  static let shared = ProgramStarter()

  private let jobs = Mutex<[@Sendable () -> Void]>([])
  private let bell = DispatchSemaphore(value: 0)

  private init() {
    OwnThread.start("starter") { [self] in
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
