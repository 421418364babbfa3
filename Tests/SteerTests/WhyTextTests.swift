// SPDX-License-Identifier: Apache-2.0
// The output of `why` and `focus`, word for word.

import Steer
import Testing
import Vocabulary

@testable import darkroomctl

struct WhyTextTests {
  private static let now: UInt64 = 1_763_712_360_000

  private func text(
    _ wait: WaitSummary, _ groups: [WaitSummary] = [], terminal: Bool = true
  ) -> String {
    WhyText.text(
      WhyReport(list: Samples.list, wait: wait, groups: groups),
      socket: ToolOrder.systemSocket, ToolScreen(isTerminal: terminal), now: Self.now)
  }

  @Test func `a list at work and its groups`() {
    #expect(
      text(Samples.waits[0], Array(Samples.waits[1...])) == """
        summer (list 17) is at work, with 58 photos to go.
        40 photos, 'Mill' among them, wait for photos.example.org, which has failed for 1 min 0 s and 4 attempts: \
        http.503: it answered 503; next attempt in 40 s
          To try now: darkroomctl flush photos.example.org
        'Lake' is being downloaded from photos.example.org for 20 s, 1.0 MiB of 4.0 MiB
        17 photos, 'Barn' among them, wait for their turn, behind 1000 of more urgent lists, beside 1 other list \
        of its class
          To let it go first: darkroomctl focus summer
        2 photos failed
          Their reasons: darkroomctl show --state failed summer

        """)
  }

  @Test func `of photos that wait for another attempt, one is named with its cause`() {
    var retry = WaitSummary(.retry, photos: 3, number: 4, until: Self.now + 5000)
    (retry.name, retry.code, retry.reason) = ("Lake", "dns.failed", "no such host")
    #expect(
      text(Samples.waits[0], [retry]).contains(
        """

        3 photos, 'Lake' among them, wait for another attempt, this one after dns.failed: no such host; next attempt \
        in 5 s

        """))
  }

  @Test(
    "a photo is described in one sentence, with what helps",
    arguments: [
      (.filtering, "'Lake' of summer (list 17) is being filtered.\n"),
      (
        .connection,
        "'Lake' of summer (list 17) waits for a connection; Connections= limits them.\n"
      ),
      (
        .retry,
        "'Lake' of summer (list 17) waits for attempt 3 of 8: http.500: broken; next attempt now.\n"
          + "  To try now, as root: darkroomctl flush\n"
      ),
      (
        .turn,
        "'Lake' of summer (list 17) waits for its turn.\n"
          + "  To let it go first: darkroomctl focus summer 4\n"
      ),
      (
        .failed,
        "'Lake' of summer (list 17) failed: http.500: broken.\n"
          + "  To do it again: darkroomctl retry summer\n"
      ),
      (.unknown, "'Lake' of summer (list 17) has ended, but its result is lost.\n"),
      (
        .paused,
        "'Lake' of summer (list 17) waits with its list, which is paused, with 1 photo to go.\n"
          + "  To continue it: darkroomctl resume summer\n"
      ),
    ] as [(WaitSummary.Kind, String)])
  func photo(kind: WaitSummary.Kind, words: String) {
    var wait = WaitSummary(kind, photos: 1, number: 4)
    wait.name = "Lake"
    if kind == .retry || kind == .failed { (wait.code, wait.reason) = ("http.500", "broken") }
    if kind == .retry { (wait.attempt, wait.attempts, wait.until) = (2, 8, Self.now) }
    #expect(text(wait) == words)
  }

  @Test(arguments: WaitSummary.Kind.allCases)
  func `every kind has its words, for a list or for photos`(kind: WaitSummary.Kind) {
    for photos: UInt32 in [1, 2] {
      let words = text(WaitSummary(.working), [WaitSummary(kind, photos: photos)])
      #expect(words.split(separator: "\n").count >= 2)
    }
    #expect(text(WaitSummary(kind)).hasPrefix("summer (list 17) "))
  }

  @Test func `a list that waits for its turn says at what`() {
    #expect(
      text(WaitSummary(.openingTurn)) == """
        summer (list 17) waits for its turn to be opened: users take turns, and few lists are opened at once.

        """)
    #expect(
      text(WaitSummary(.returningTurn)) == """
        summer (list 17) is \(Samples.list.state); its copy waits for its turn: users take turns, and few copies are \
        made at once.

        """)
  }

  @Test func `columns for programs`() {
    #expect(
      text(Samples.waits[0], [Samples.waits[2]], terminal: false)
        == "working\t58\t0\t\t\t\t\t0\t0\t0\t0\t0\t0\t0\t0\n"
        + "downloading\t1\t4\tLake\tphotos.example.org\t\t\t1763712340000\t0\t0\t0\t1048576\t4194304\t0\t0\n"
    )
  }

  @Test func `a focus says how many photos go first, and for how long`() {
    func text(_ report: FocusReport, _ isTerminal: Bool = true) -> String {
      FocusText.text(report, ToolScreen(isTerminal: isTerminal), now: Self.now)
    }
    #expect(
      text(Samples.focus)
        == "12 of 100 photos of summer (list 17) are not done, and go first for 45 s.\n")
    #expect(text(Samples.focus, false) == "17\tsummer\t100\t12\t1763712405000\n")
    #expect(
      text(FocusReport(list: Samples.list)) == "No photo of summer (list 17) is in your focus.\n")
    let done = FocusReport(list: Samples.list, photos: 3, until: Self.now)
    #expect(text(done) == "Every one of these photos of summer (list 17) is done.\n")
  }
}
