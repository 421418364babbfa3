// SPDX-License-Identifier: Apache-2.0
// What the ledger says about photos that it knows, and about those that it does not.

import Record
import Testing
import Vocabulary

@Suite struct RecordedStateTests {
  private func ledger(_ changes: Change...) -> Ledger {
    var ledger = Ledger()
    for transition in Samples.at([Samples.accepted(1, photos: 2)] + changes) {
      ledger.apply(transition)
    }
    return ledger
  }

  @Test func `a list that is over has none of its photos' states, and no list none at all`() {
    let photo = Samples.photo(1, 1)
    let open = ledger(.downloaded(photo, Samples.contents(1)))
    #expect(open.state(of: photo) == .known(.downloaded))
    #expect(open.state(of: Samples.photo(1, 3)) == .unknown)
    #expect(open.state(of: Samples.photo(2, 1)) == .unknown)
    let over = ledger(.downloaded(photo, Samples.contents(1)), .cancelled(ListID(1)))
    #expect(
      over.state(of: photo) == .cancelled && over.state(of: Samples.photo(1, 2)) == .cancelled)
    #expect(over.state(of: Samples.photo(1, 3)) == .unknown)
    #expect(over.state(of: Samples.photo(1, 0)) == .unknown)
    let removed = ledger(.cancelled(ListID(1)), .removed(ListID(1)))
    #expect(removed.state(of: photo) == .unknown)
  }

  @Test func `only a photo with work left is unfinished`() {
    let all: [RecordedState] =
      PhotoState.allCases.map { .known($0) } + [.finished, .cancelled, .unknown]
    #expect(all.filter(\.isUnfinished) == [.known(.new), .known(.downloaded)])
  }

  @Test func `people see the state of the ledger, then that of the row`() {
    let row = ResultRow(photo: 1, state: .failed)
    #expect(RecordedState.known(.downloaded).state(with: .success(row)) == .downloaded)
    #expect(RecordedState.finished.state(with: .success(row)) == .failed)
    #expect(RecordedState.cancelled.state(with: .success(row)) == .failed)
    #expect(RecordedState.cancelled.state(with: .success(nil)) == .new)
  }

  @Test func `a row that is lost is an unknown end, not the beginning`() {
    let photo = Samples.photo(1, 1)
    let damage = Failure(.final, code: "results.damaged", reason: "it cannot be read")
    for state in [.finished, .unknown] as [RecordedState] {
      #expect(state.state(with: .success(nil)) == .unknown)
    }
    for state in [.finished, .cancelled] as [RecordedState] {
      #expect(state.state(with: .failure(damage)) == .unknown)
      #expect(state.loss(.failure(damage), of: photo) == damage)
    }
    let lost = ResultRows.missing(photo)
    for state in [.finished, .known(.filtered), .known(.failed)] as [RecordedState] {
      #expect(state.loss(.success(nil), of: photo) == lost)
      #expect(state.loss(.success(ResultRow(photo: 1, state: .failed)), of: photo) == nil)
    }
    for state in [.cancelled, .known(.new), .known(.downloaded)] as [RecordedState] {
      #expect(state.loss(.success(nil), of: photo) == nil)
    }
  }
}
