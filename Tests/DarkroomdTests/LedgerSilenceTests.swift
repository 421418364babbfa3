// SPDX-License-Identifier: Apache-2.0
// The sentences that people read while the ledger does not answer.

import Testing
import Vocabulary

@testable import darkroomd

@Suite struct LedgerSilenceTests {
  private static func lost(_ reason: String, code: String = "ledger.lost") -> Failure {
    Failure(.machine, code: code, reason: reason)
  }

  /// Those that `ShareDesk` reports itself: `Health` reports the first one, and new codes.
  private static func news(_ failures: [Failure]) -> [String] {
    var (silence, told) = (ShareDesk.Silence(failure: failures[0], since: 7), [String]())
    for failure in failures.dropFirst() {
      let next = silence.next(failure)
      if next.isNews(after: silence) { told.append(failure.reason) }
      #expect(next.since == 7 && next.failure == failure)
      silence = next
    }
    return told
  }

  @Test func `each new reason is told once`() {
    let (down, starting, denied) = ("shutting down", "starting up", "password failed")
    let reasons = [down, down, starting, denied, down, denied]
    #expect(Self.news(reasons.map { Self.lost($0) }) == [starting, denied])
  }

  @Test func `a new code is told by the health alone`() {
    #expect(Self.news([Self.lost("away"), Self.lost("no trust", code: "ledger.tls")]) == [])
  }

  @Test func `reasons that change at each attempt are told a few times`() {
    let failures = (0..<100).map { Self.lost("connection \($0) failed") }
    #expect(Self.news(failures).count == ShareDesk.Silence.mostReasons - 1)
  }
}
