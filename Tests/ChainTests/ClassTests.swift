// SPDX-License-Identifier: Apache-2.0
// Another class for a list at work: the order of admission, and the chains that have begun already.

import Synchronization
import Testing
import Vocabulary

@testable import Chain

@Suite struct ClassTests {
  private func take(_ admission: inout Admission) -> Admission.Admitted? {
    admission.take(now: .zero, total: 1000) { _ in Admission.Prospect() }
  }

  @Test func `a list takes its turns in its new class`() {
    var admission = Admission(window: 100)
    for list in 1...2 {
      admission.add(ListID(UInt64(list)), ListLines(.background), isPaused: false, now: .zero)
    }
    #expect(take(&admission)?.photo == photo(1, 1))
    admission.setClass(.userInitiated, of: ListID(2), now: .zero)
    let taken = (0..<4).compactMap { _ in take(&admission) }
    #expect(taken.map(\.photo.list.number) == [2, 2, 2, 2])
    #expect(taken.allSatisfy { $0.serviceClass == .userInitiated })
    #expect(admission.serviceClass(of: photo(2, 1)) == .userInitiated)
    admission.setClass(.background, of: ListID(2), now: .zero)
    // List 1 has given one photo of its turn.
    let next = (0..<17).compactMap { _ in take(&admission)?.photo.list.number }
    #expect(next.prefix(15).allSatisfy { $0 == 1 } && next.suffix(2) == [2, 2], "\(next)")
  }

  @Test func `photos more urgent than others in a full window have places besides`() {
    var admission = Admission(window: 3, reserve: 2)
    admission.add(ListID(1), ListLines(.utility), isPaused: false, now: .zero)
    while take(&admission) != nil {}
    #expect(admission.inFlight == 3, "the places besides are for others")
    admission.add(ListID(2), ListLines(.utility, owner: 2), isPaused: false, now: .zero)
    admission.add(ListID(3), ListLines(.background), isPaused: false, now: .zero)
    #expect(take(&admission) == nil)
    admission.add(ListID(4), ListLines(.userInteractive), isPaused: false, now: .zero)
    #expect((1...3).map { _ in take(&admission)?.photo } == [photo(4, 1), photo(4, 2), nil])
    admission.ended(photo(1, 1), .filtered, now: .zero)
    #expect(take(&admission)?.photo == photo(4, 3), "urgent ones take their share of the window")
    admission.ended(photo(1, 2), .filtered, now: .zero)
    #expect(take(&admission) == nil, "which is full of photos as urgent")
    admission.ended(photo(1, 3), .filtered, now: .zero)
    #expect(take(&admission) == nil)
    admission.ended(photo(4, 1), .filtered, now: .zero)
    #expect(take(&admission)?.photo == photo(4, 4))
  }

  @Test func `a list that waits for its host waits there in its new class`() {
    var admission = Admission(window: 100, hosts: HostWindows(HostLimits(most: 1)))
    func next() -> PhotoID? {
      admission.take(now: .zero, total: 5) { _ in Admission.Prospect(host: "a.example") }?.photo
    }
    for list in 1...2 {
      admission.add(ListID(UInt64(list)), ListLines(.utility), isPaused: false, now: .zero)
    }
    #expect(next() == photo(1, 1) && next() == nil)
    admission.setClass(.userInteractive, of: ListID(2), now: .zero)
    for number in 1...3 {
      _ = admission.answered(
        photo(number == 1 ? 1 : 2, UInt32(max(1, number - 1))), .answered, now: .zero, jitter: 0)
      #expect(next() == photo(2, UInt32(number)))
    }
  }

  @Test func `a paused list may change its class`() {
    var admission = Admission(window: 100)
    admission.add(ListID(1), ListLines(.utility), isPaused: true, now: .zero)
    admission.setClass(.background, of: ListID(1), now: .zero)
    admission.setClass(.background, of: ListID(7), now: .zero)
    #expect(take(&admission) == nil)
    admission.resume(ListID(1), now: .zero)
    #expect(take(&admission)?.serviceClass == .background)
  }

  @Test func `photos that wait begin again in the new class, and a download continues`() async {
    let gate = Gate()
    let filtered = Mutex<[ServiceClass]>([])
    let bench = Darkbench(
      widths: .init(download: 1, filter: 1, output: 1),
      download: { _ throws(Failure) in try await gate.pass() },
      filter: { work throws(Failure) in filtered.withLock { $0.append(work.serviceClass) } })
    bench.add(1, photos: 4, .utility)
    await gate.arrivals.reaches(1)
    bench.runner.setClass(.background, of: ListID(1))
    gate.open()
    await bench.finishedLists.reaches(1)
    #expect(filtered.withLock { $0 } == [.background, .background, .background, .background])
    // The first one was downloaded once, and filtered by another chain.
    #expect(bench.downloads.count == 4 && bench.recalls.count == 1)
  }

  @Test func `a download that waits for a connection begins again in the new class`() async {
    let gate = Gate()
    let begun = Mutex<[ServiceClass]>([])
    let bench = Darkbench(download: { work throws(Failure) in
      begun.withLock { $0.append(work.serviceClass) }
      try await gate.pass()
    })
    bench.stages.running.withLock { $0[PhotoID(list: ListID(1), number: 1)] = .waiting }
    bench.add(1, photos: 1, .utility)
    await gate.arrivals.reaches(1)
    bench.runner.setClass(.background, of: ListID(1))
    await gate.arrivals.reaches(2)
    gate.open()
    await bench.finishedLists.reaches(1)
    #expect(begun.withLock { $0 } == [.utility, .background])
  }

  @Test func `a photo that is being filtered when the class changes is not filtered twice`() async {
    let gate = Gate()
    let bench = Darkbench(
      filter: { _ throws(Failure) in try await gate.pass() })
    bench.add(1, photos: 1)
    await gate.arrivals.reaches(1)
    bench.runner.setClass(.userInteractive, of: ListID(1))
    gate.open()
    await bench.finishedLists.reaches(1)
    #expect(bench.filters.count == 1 && bench.prints.count == 1)
  }

  @Test func `a focused photo passes those that wait, and a running download is not cancelled`()
    async throws
  {
    let gate = Gate()
    let begun = Mutex<[UInt32]>([])
    let bench = Darkbench(
      widths: .init(download: 1, filter: 1, output: 1),
      download: { work throws(Failure) in
        begun.withLock { $0.append(work.photo.number) }
        try await gate.pass()
      })
    bench.add(1, photos: 40)
    await gate.arrivals.reaches(1)
    try bench.runner.focus(
      FocusBoard.Viewer(ListID(1), user: 0), on: [30, 2], for: .seconds(60))
    gate.open()
    await bench.finishedLists.reaches(1)
    let order = begun.withLock { $0 }
    #expect(order.count == 40, "no photo is downloaded twice")
    // The focus takes effect beside the downloads, some of which begin before; FocusTests have the exact order.
    let place = try #require(order.firstIndex(of: 30))
    #expect(order.first == 1 && place < 20, "\(order)")
  }
}
