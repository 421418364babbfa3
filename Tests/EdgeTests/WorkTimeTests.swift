// SPDX-License-Identifier: Apache-2.0
// The time of a worker's request: processor time counts, however slowly a busy machine gives it.

import Linux
import Support
import Testing
import Vocabulary

@testable import Worker

struct WorkTimeTests {
  /// Ten seconds of processor time, from second 100 on.
  private let time = WorkTime(limit: .seconds(10), at: .seconds(100))

  @Test func `a worker that works slowly goes on until it has used its processor time`() {
    var time = time
    var now = time.due
    #expect(now == .seconds(110))
    for tenth in 1..<100 {
      #expect(time.look(.milliseconds(100 * tenth), at: now) == .goesOn)
      #expect(time.due > now && time.due <= now + .seconds(10))
      now = time.due
    }
    #expect(time.look(.seconds(10), at: now) == .spent)
  }

  @Test func `a worker that uses no processor time for its limit is hung`() {
    var time = time
    #expect(time.look(.milliseconds(1), at: .seconds(110)) == .goesOn)
    #expect(time.look(.milliseconds(1), at: .seconds(120)) == .idle)
  }

  @Test func `a worker whose processor time is not known is hung at its limit`() {
    var time = time
    #expect(time.look(nil, at: .seconds(110)) == .idle)
  }

  @Test func `a worker that does a little now and then ends at last`() {
    var time = time
    var verdict = WorkTime.Verdict.goesOn
    var looks = 0
    while verdict == .goesOn, looks < 1000 {
      looks += 1
      verdict = time.look(.microseconds(looks), at: time.due)
    }
    #expect(verdict == .endless)
  }

  @Test func `after a freeze of the daemon nothing counts as hung, and the freeze does not count`()
  {
    var time = time
    for day in 1...50 {
      #expect(time.look(.milliseconds(5), at: time.due + .seconds(86400)) == .goesOn, "\(day)")
    }
    #expect(time.look(.milliseconds(5), at: time.due) == .goesOn)
    #expect(time.look(.milliseconds(5), at: time.due) == .idle)
  }

  @Test func `the processor time of a child is known while it runs`() async throws {
    let child = try ChildProcess(path: "/bin/sh", words: ["-c", "while :; do :; done"])
    #expect(try await Patience.sees { child.processorTime.map { $0 > .milliseconds(20) } == true })
    child.kill()
    #expect(try await Patience.sees { child.reap() == .killed })
  }
}
