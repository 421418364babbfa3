// SPDX-License-Identifier: Apache-2.0
// One operation, without queues: a cancel reaches its running task, and its end the operations behind it.

import Foundation
import Testing
import Vocabulary

@testable import Chain

@Suite struct StageOperationTests {
  private func operation<Value: Sendable>(
    _ finished: Tally, _ body: @escaping @Sendable () async -> Value
  ) -> StageOperation<Value> {
    StageOperation(name: "1-1", serviceClass: .default, whenFinished: { finished.add() }) {
      .success(await body())
    }
  }

  @Test func `a cancelled operation cancels its running task`() async {
    let (began, mayEnd, finished) = (Tally(), Tally(), Tally())
    let operation = operation(finished) {
      began.add()
      await mayEnd.reaches(1)
      return Task.isCancelled
    }
    operation.start()
    await began.reaches(1)
    operation.cancel()
    mayEnd.add()
    await finished.reaches(1)
    #expect(operation.outcome == .success(true))
  }

  @Test func `an operation is ready once the operation before it has finished`() async {
    let finished = Tally()
    let first = operation(finished) { 1 }
    let second = operation(finished) { 2 }
    second.addDependency(first)
    #expect(!second.isReady)
    first.start()
    await finished.reaches(1)
    #expect(first.isFinished && second.isReady)
  }
}
