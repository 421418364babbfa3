// SPDX-License-Identifier: Apache-2.0
// The judgement of the mark of the place that nodes share.

import Cluster
import Testing
import Vocabulary

@Suite struct PlaceVerdictTests {
  @Test(
    arguments: [
      (nil, "x", .unmarked), ("", "x", .unmarked), (" ", "x", .unmarked),
      ("x 1", "x", .own(number: "1")), (" x  1 ", "x", .own(number: "1")),
      ("x", "x", .unmarked), ("x 1 2", "x", .unmarked), ("y", "x", .unmarked),
      ("y 1", "x", .foreign), ("xx 1", "x", .foreign), ("X 1", "x", .foreign),
      (nil, "", .unmarked), ("x 1", "", .unmarked),
    ] as [(String?, String, PlaceVerdict)])
  func `a place belongs to the ledger whose whole mark it has`(
    mark: String?, identity: String, verdict: PlaceVerdict
  ) {
    let found = PlaceVerdict(mark, for: identity)
    #expect(found == verdict)
    let code: String? =
      switch verdict {
      case .own: nil
      case .unmarked: "blobs.other"
      case .foreign: "blobs.ledger"
      }
    #expect(found.objection?.code == code && found.objection?.isForeignPlace ?? true)
  }

  @Test(
    arguments: [
      ("0a-1f 1", true), ("0a", false), ("", false), ("0a 1 2", false), ("two words", false),
    ] as [(String, Bool)])
  func `a mark of any ledger is an identity and a number`(mark: String, isWhole: Bool) {
    #expect(PlaceVerdict.isWhole(mark) == isWhole)
  }
}
