// SPDX-License-Identifier: Apache-2.0
// Admission, retry policy and the due queue as values: no thread, no clock.

import Testing
import Vocabulary

@testable import Chain

@Suite struct AdmissionTests {
  private func take(
    _ admission: inout Admission, now: Duration = .zero, total: UInt32 = 1000
  ) -> PhotoID? {
    admission.take(now: now, total: total) { _ in Admission.Prospect() }?.photo
  }

  private func admission(window: Int) -> Admission {
    var admission = Admission(window: window)
    for list in 1...3 {
      admission.add(ListID(UInt64(list)), ListLines(.default), isPaused: false, now: .zero)
    }
    return admission
  }

  @Test func `lists of one class take turns of several photos`() {
    var admission = admission(window: 50)
    let taken = (0..<50).compactMap { _ in take(&admission) }
    let turns: [UInt64] = (0..<50).map { 1 + $0 / 16 % 3 }
    #expect(taken.map(\.list.number) == turns)
    #expect(take(&admission) == nil, "the window is full")
  }

  @Test func `the turn of a list is short in time`() {
    var admission = admission(window: 50)
    func taken(every pause: Duration, from start: Duration) -> [UInt64?] {
      (0..<7).map { take(&admission, now: start + pause * $0)?.list.number }
    }
    #expect(taken(every: .milliseconds(60), from: .zero) == [1, 1, 1, 2, 2, 2, 3])
    let slow = taken(every: .seconds(1), from: .seconds(9)).compactMap { $0 }
    #expect(slow == [3, 1, 1, 2, 2, 3, 3])
  }

  @Test func `a list without photos gives the rest of its turn to the next one`() {
    var admission = admission(window: 50)
    let taken = (0..<9).compactMap { _ in take(&admission, total: 3)?.list.number }
    #expect(taken == [1, 1, 1, 2, 2, 2, 3, 3, 3])
  }

  @Test func `the window has room again when a chain ends`() {
    var admission = Admission(window: 1)
    admission.add(ListID(1), ListLines(.default), isPaused: false, now: .zero)
    #expect(take(&admission) == photo(1, 1))
    #expect(take(&admission) == nil)
    admission.ended(photo(1, 1), .filtered, now: .zero)
    #expect(take(&admission) == photo(1, 2))
  }

  @Test func `a photo that came back unfinished goes before new ones`() {
    var admission = Admission(window: 2)
    admission.add(ListID(1), ListLines(.default), isPaused: false, now: .zero)
    _ = take(&admission)
    admission.ended(photo(1, 1), .stopped, now: .zero)
    #expect(take(&admission) == photo(1, 1))
  }

  @Test func `a photo that waits for its retry is not taken early after a restart`() {
    var admission = Admission(window: 10)
    admission.add(
      ListID(1), ListLines(.default, waiting: [(2, .seconds(5))]), isPaused: false, now: .zero)
    let taken = (0..<3).compactMap { _ in take(&admission, total: 3) }
    #expect(taken == [photo(1, 1), photo(1, 3)])
    #expect(admission.nextDue == .seconds(5))
    #expect(take(&admission, now: .seconds(5), total: 3) == photo(1, 2))
  }

  @Test func `a paused list gives no photo, is not done, and has no alarm`() {
    var admission = Admission(window: 10)
    admission.add(
      ListID(1), ListLines(.default, waiting: [(1, .seconds(5))]), isPaused: true, now: .zero)
    #expect(take(&admission) == nil)
    #expect(admission.nextDue == nil)
    #expect(admission.doneLists.isEmpty)
    admission.resume(ListID(1), now: .zero)
    #expect(admission.nextDue == .seconds(5))
  }

  @Test func `one slot in eight goes to the least urgent class`() {
    var admission = Admission(window: 100)
    admission.add(ListID(1), ListLines(.background), isPaused: false, now: .zero)
    admission.add(ListID(2), ListLines(.userInteractive), isPaused: false, now: .zero)
    let taken = (0..<16).compactMap { _ in take(&admission)?.list.number }
    #expect(taken == [2, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 2, 1])
  }

  @Test func `a photo that is due while the window is full sets no alarm`() {
    var admission = Admission(window: 1)
    admission.add(
      ListID(1), ListLines(.default, waiting: [(5, .seconds(1))]), isPaused: false, now: .zero)
    #expect(take(&admission) == photo(1, 1))
    #expect(admission.nextDue == nil)
    admission.ended(photo(1, 1), .filtered, now: .seconds(2))
    #expect(admission.nextDue == .seconds(1))
    #expect(take(&admission, now: .seconds(2)) == photo(1, 5))
  }

  @Test func `an empty list is done after the first look`() {
    var admission = Admission(window: 4)
    admission.add(ListID(1), ListLines(.default), isPaused: false, now: .zero)
    #expect(take(&admission, total: 0) == nil)
    #expect(admission.doneLists == [ListID(1)])
  }

  @Test func `photos come due soonest first, in whatever order they were added`() {
    var queue = DueQueue<UInt32>()
    for number: UInt32 in [5, 1, 4, 2, 3] { queue.insert(number, due: .seconds(Int64(number))) }
    queue.insert(3, due: .seconds(99))
    #expect(queue.take(now: .milliseconds(999)) == nil)
    let order = (0..<5).compactMap { _ in queue.take(now: .seconds(10)) }
    #expect(order == [1, 2, 3, 4, 5])
    #expect(queue.isEmpty)
    #expect(!queue.contains(3))
  }

  @Test(arguments: [
    (Failure.Kind.final, "http.404", UInt32(1), RetryPolicy.Verdict.giveUp),
    (.machine, "disk.full", 1, .waitForMachine),
    (.cancelled, "cancelled", 1, .stop),
    (.passing, "connect.refused", 1, .again(after: .seconds(1))),
    (.passing, "connect.refused", 2, .again(after: .seconds(2))),
    (.passing, "connect.refused", 7, .again(after: .seconds(64))),
    (.passing, "connect.refused", 8, .giveUp),
    (.passing, "worker.died", 1, .again(after: .zero)),
    (.passing, "worker.died", 5, .again(after: .zero)),
    (.passing, "worker.idle", 1, .again(after: .zero)),
    (.passing, Failure.lostOriginal, 8, .again(after: .zero)),
  ])
  func `the verdict on a failure depends on its kind and the attempt`(
    kind: Failure.Kind, code: String, attempt: UInt32, verdict: RetryPolicy.Verdict
  ) {
    let failure = Failure(kind, code: code, reason: "it did not work")
    #expect(RetryPolicy().verdict(on: failure, attempt: attempt, jitter: 0.5) == verdict)
  }

  @Test func `a second worker death gives a picture up, however often it was retried`() {
    let death = Failure(.passing, code: "worker.died", reason: "the worker died")
    let policy = RetryPolicy()
    #expect(policy.verdict(on: death, attempt: 3, deaths: 0, jitter: 1) == .again(after: .zero))
    #expect(policy.verdict(on: death, attempt: 1, deaths: 1, jitter: 1) == .giveUp)
  }

  @Test func `a list without photos to give gets its turn back when one is due or returns`() {
    var admission = Admission(window: 10)
    admission.add(ListID(1), ListLines(.default), isPaused: false, now: .zero)
    #expect(take(&admission, total: 2) == photo(1, 1))
    #expect(take(&admission, total: 2) == photo(1, 2))
    #expect(take(&admission, total: 2) == nil)
    admission.ended(photo(1, 1), .retry(after: .seconds(3)), now: .zero)
    admission.ended(photo(1, 2), .stopped, now: .zero)
    #expect(take(&admission, total: 2) == photo(1, 2))
    #expect(take(&admission, total: 2) == nil)
    #expect(take(&admission, now: .seconds(3), total: 2) == photo(1, 1))
    #expect(admission.nextDue == nil)
  }

  @Test(arguments: [(failed: 4, isDue: true), (failed: 6, isDue: false)])
  func `a flush is for a retry that was being recorded as well, not for a later failure`(
    failed: Int, isDue: Bool
  ) {
    var admission = Admission(window: 1)
    admission.add(ListID(1), ListLines(.default), isPaused: false, now: .zero)
    #expect(take(&admission, total: 1) == photo(1, 1))
    _ = admission.flush(nil, now: .seconds(5))
    let end = PhotoEnd.retry(after: .seconds(1200), failed: .seconds(failed))
    admission.ended(photo(1, 1), end, now: .seconds(7))
    #expect((take(&admission, now: .seconds(7), total: 1) != nil) == isDue)
  }

  @Test func `an origin that asks us to wait is not tried sooner`() {
    let busy = Failure(.passing, code: "http.503", reason: "busy", waitSeconds: 120)
    #expect(RetryPolicy().verdict(on: busy, attempt: 1, jitter: 0) == .again(after: .seconds(120)))
  }
}
