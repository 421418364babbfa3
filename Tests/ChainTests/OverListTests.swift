// SPDX-License-Identifier: Apache-2.0
// A list between the record of its end and the moment when the chains give it up: the record has no states of its
// photos any more, and no step of them begins.

import Synchronization
import Testing
import Vocabulary

@testable import Chain

@Suite struct OverListTests {
  enum Way: CaseIterable { case found, cameBack, waited }

  @Test(arguments: Way.allCases)
  func `a photo that is done when it is looked at is not given, however it reached its line`(
    way: Way
  ) {
    var admission = Admission(window: 4)
    let waiting: [(UInt32, Duration)] = way == .waited ? [(1, .seconds(5))] : []
    admission.add(
      ListID(1), ListLines(.default, waiting: waiting), isPaused: false, now: .zero)
    if way == .cameBack {
      _ = admission.take(now: .zero, total: 1) { _ in Admission.Prospect() }
      admission.ended(photo(1, 1), .stopped, now: .zero)
    }
    let given = admission.take(now: .seconds(9), total: 1) { _ in
      Admission.Prospect(host: "a.example", isDone: true)
    }
    #expect(given == nil)
    #expect(admission.doneLists == [ListID(1)])
  }

  @Test func `a photo that ended while it waited for its host does not begin`() {
    var admission = Admission(window: 4, hosts: HostWindows(HostLimits(most: 1)))
    admission.add(ListID(1), ListLines(.default), isPaused: false, now: .zero)
    let prospect = Admission.Prospect(host: "a.example")
    #expect(admission.take(now: .zero, total: 2) { _ in prospect }?.photo == photo(1, 1))
    #expect(admission.take(now: .zero, total: 2) { _ in prospect } == nil)
    _ = admission.answered(photo(1, 1), .answered, now: .zero, jitter: 0)
    #expect(admission.take(now: .zero, total: 2) { _ in prospect }?.photo == photo(1, 2))
    #expect(admission.begin(photo(1, 2), nil, now: .zero) == nil)
    #expect(!admission.holds(photo(1, 2)) && admission.holds(photo(1, 1)))
  }

  @Test(arguments: [Change.cancelled(ListID(1)), .removed(ListID(1))])
  func `a photo whose list was recorded as over during its output is not downloaded`(
    _ end: Change
  ) async {
    let shelf = Mutex<NotedRecord?>(nil)
    let bench = Darkbench(output: { _ throws(Failure) in
      let books = shelf.withLock { $0 }
      try books?.record([.cancelled(ListID(1))])
      if case .removed = end { try books?.record([end]) }
    })
    shelf.withLock { $0 = bench.books }
    bench.books.addList(ListID(1), photos: 1)
    try? bench.books.record([.downloaded(photo(1, 1), Contents(size: 1, hash: 1))])
    bench.add(1, photos: 1)
    await bench.finishedLists.reaches(1)
    #expect(bench.downloads.count == 0 && bench.recalls.count == 1 && bench.prints.count == 0)
    await bench.runner.stop()
  }
}
