// SPDX-License-Identifier: Apache-2.0

import Testing
import Vocabulary

@Suite struct BackoffTests {
  private func seconds(_ pauses: [Duration]) -> [Int64] { pauses.map(\.components.seconds) }

  @Test func `each pause is twice as long as the one before, up to the longest`() {
    var pause = Backoff(.seconds(5), to: .seconds(30))
    #expect(seconds((1...5).map { _ in pause.take() }) == [5, 10, 20, 30, 30])
    pause.reset()
    #expect(seconds([pause.take(), pause.take()]) == [5, 10])
  }

  @Test func `the pause after some attempts is the one that they would have taken`() {
    var pause = Backoff(.seconds(1), to: .seconds(30))
    let counted = (1...8).map { pause.after($0) }
    #expect(counted == (1...8).map { _ in pause.take() })
    #expect(pause.after(0) == .seconds(1) && pause.after(.max) == .seconds(30))
  }
}
