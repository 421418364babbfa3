// SPDX-License-Identifier: Apache-2.0
// The lineage of the state folder as a value, and its check against simulated folders.

import Linux
import Record
import Report
import Support
import Synchronization
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct LineageTests {
  private let place = Lineage.Place(inode: 7, birth: 100)
  private var known: Lineage {
    Lineage(id: "00112233445566aa", generation: 3, floor: ListID(40), place: place)
  }

  private func judge(
    _ known: Lineage?, _ place: Lineage.Place?, recorded: UInt64, reported: UInt64?
  ) -> Lineage.Verdict {
    Lineage.judge(
      known, at: place, recorded: ListID(recorded), reported: reported.map { ListID($0) })
  }

  @Test func `the same file with nothing newer reported is the same folder`() {
    #expect(judge(known, place, recorded: 9, reported: 9) == .same)
    #expect(judge(known, place, recorded: 9, reported: 5) == .same)
    #expect(judge(known, place, recorded: 9, reported: nil) == .same)
  }

  @Test func `another inode or another birth is a copy`() {
    for other in [Lineage.Place(inode: 8, birth: 100), Lineage.Place(inode: 7, birth: 101)] {
      #expect(judge(known, other, recorded: 9, reported: 9) == .copied)
    }
  }

  @Test func `a record that lacks a reported list is older, whatever else holds`() {
    #expect(judge(known, place, recorded: 9, reported: 10) == .older(reported: ListID(10)))
    #expect(judge(nil, nil, recorded: 0, reported: 1) == .older(reported: ListID(1)))
  }

  @Test func `a folder without a lineage is new unless lists were reported`() {
    #expect(judge(nil, nil, recorded: 0, reported: nil) == .first)
    #expect(judge(nil, nil, recorded: 12, reported: nil) == .first)
    #expect(judge(nil, nil, recorded: 12, reported: 12) == .copied)
  }

  @Test func `a new generation starts above every known number, whatever the clock says`() {
    func floor(_ verdict: Lineage.Verdict, now: UInt64) -> UInt64 {
      Lineage.floor(verdict, recorded: ListID(9), now: now).number
    }
    #expect(floor(.same, now: .max) == 0 && floor(.first, now: .max) == 0)
    let older = Lineage.Verdict.older(reported: ListID(17))
    #expect(floor(older, now: 0) == 17 && floor(.copied, now: 0) == 9)
    let now: UInt64 = 1_795_000_000_000
    let first = floor(older, now: now)
    #expect(first > 17 && floor(.copied, now: now) == first)
    // Two restores of one backup.
    #expect(floor(older, now: now + 1000) == first + 1000)
  }

  @Test func `its text can be read again, and no other text can`() {
    #expect(Lineage(text: known.text) == known)
    for text in ["", "ID=1\n", known.text.replacingOccurrences("Floor=", "Floor=x"), "\u{0}"] {
      #expect(Lineage(text: text) == nil, "\(text)")
    }
  }
}

extension String {
  fileprivate func replacingOccurrences(_ old: String, _ new: String) -> String {
    split(separator: old, omittingEmptySubsequences: false).joined(separator: new)
  }
}
