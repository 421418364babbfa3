// SPDX-License-Identifier: Apache-2.0
// The judge of a group predicts how the ledger treats each change, and does not modify the ledger.

import Record
import Support
import Testing
import Vocabulary

struct GroupJudgeTests {
  /// Groups of changes, most of them legal in order, some of them illegal.
  @Test(arguments: 1...100 as ClosedRange<UInt64>)
  func `a change is judged legal if and only if the ledger takes it`(seed: UInt64) {
    var random = SimulatedRandom(seed: seed)
    var ledger = Ledger()
    var judge = GroupJudge()
    for _ in 0..<20 {
      let before = ledger
      var after = ledger
      for _ in 0..<random.number(below: 40) {
        // A change made for the start of the group may conflict with later ones.
        let change = Samples.change(random.oneIn(4) ? before : after, &random)
        let isLegal = judge.isLegal(change, ledger)
        #expect(ledger == before)
        let isTaken = after.apply(Transition(time: Samples.time, change))
        #expect(isTaken == isLegal, "\(change)")
      }
      judge.forget()
      ledger = after
    }
  }

  @Test(arguments: LedgerTests.refusals)
  func `an illegal change is judged illegal in the same group and in the next`(
    before: [Change], last: Change
  ) {
    let changes = [Samples.accepted(1, photos: 3)] + before
    var judge = GroupJudge()
    var ledger = Ledger()
    let wholeGroup = (changes + [last]).map { judge.isLegal($0, ledger) }
    #expect(wholeGroup == changes.map { _ in true } + [false])
    judge.forget()
    for transition in Samples.at(changes) { ledger.apply(transition) }
    let isLegal = judge.isLegal(last, ledger)
    #expect(!isLegal)
  }
}
