// SPDX-License-Identifier: Apache-2.0
// Trouble of a single list, and of the whole machine: as values, in admission and in chains.

import Support
import Synchronization
import Testing
import Vocabulary

@testable import Chain

@Suite struct SetbackTests {
  private let odd = Failure(
    .machine, scope: .one, code: "system.21", reason: "renameat P1.jpg: is a directory")
  private let full = Failure(.machine, code: "disk.full", reason: "no space left on device")

  private func met(_ setback: inout Setback, _ number: UInt32, _ now: Duration) -> Duration {
    setback.met(number, odd, now: now)
  }

  private func met(_ trouble: inout MachineTrouble, hold: UInt, _ now: Duration) -> Bool {
    trouble.met(full, hold: hold, now: now)
  }

  private func unblock(_ setback: inout Setback, _ now: Duration) -> Bool {
    setback.unblock(now: now)
  }

  private func release(_ trouble: inout MachineTrouble, _ now: Duration) -> Bool {
    trouble.release(now: now)
  }

  private func passed(_ trouble: inout MachineTrouble) -> Bool { trouble.passed() }

  private func news(_ admission: inout Admission) -> [Setbacks.News] {
    admission.setbacks.takeNews()
  }

  @Test func `a photo that meets trouble waits longer each time, and its list continues`() {
    var setback = Setback(odd)
    #expect(met(&setback, 1, .zero) == .seconds(2))
    #expect(met(&setback, 1, .seconds(2)) == .seconds(4))
    #expect(met(&setback, 1, .seconds(6)) == .seconds(8))
    #expect(!setback.isBlocked && !setback.isOver)
    setback.passed(2)
    #expect(!setback.isOver, "another photo proves nothing about this one")
    setback.passed(1)
    #expect(setback.isOver)
  }

  @Test func `a list that meets only trouble is blocked, and tried with one photo at a time`() {
    var setback = Setback(odd)
    for number: UInt32 in 1...8 { _ = setback.met(number, odd, now: .zero) }
    #expect(setback.phase == .blocked(until: .seconds(1)))
    // A photo already in flight meets it, too, and changes nothing.
    _ = setback.met(9, odd, now: .milliseconds(500))
    #expect(setback.phase == .blocked(until: .seconds(1)))
    #expect(!unblock(&setback, .milliseconds(999)))
    #expect(unblock(&setback, .seconds(1)))
    _ = setback.met(10, odd, now: .seconds(1))
    #expect(setback.phase == .blocked(until: .seconds(3)), "twice as long")
    #expect(unblock(&setback, .seconds(3)))
    setback.passed(11)
    #expect(setback.phase == .counting(0) && !setback.isOver)
  }

  @Test func `no wait is longer than a minute`() {
    var setback = Setback(odd)
    var now = Duration.zero
    var last = Duration.zero
    for _ in 0..<40 {
      last = setback.met(1, odd, now: now)
      now += last
      _ = setback.unblock(now: now)
    }
    #expect(last == .seconds(60))
  }

  @Test func `trouble of the whole machine is reported once, until a later step succeeds`() {
    var trouble = MachineTrouble()
    #expect(met(&trouble, hold: 0, .zero))
    #expect(trouble.due == .seconds(2) && trouble.failure == full)
    #expect(!met(&trouble, hold: 0, .zero), "work is held already")
    #expect(!passed(&trouble), "a step from before the hold proves nothing")
    #expect(!release(&trouble, .seconds(1)) && release(&trouble, .seconds(2)))
    #expect(!met(&trouble, hold: 0, .seconds(2)), "met before the hold")
    #expect(!met(&trouble, hold: 1, .seconds(2)), "the same trouble is not reported twice")
    #expect(trouble.due == .seconds(6), "held twice as long")
    #expect(release(&trouble, .seconds(6)))
    #expect(passed(&trouble) && trouble.failure == nil)
    #expect(met(&trouble, hold: 2, .seconds(7)), "another incident")
    #expect(trouble.due == .seconds(9))
  }

  @Test func `trouble of a store ends with a print, not with the failure of a photo`() {
    let away = Failure(.machine, scope: .prints, code: "store.busy", reason: "it answers 503")
    for (failure, ends) in [(full, true), (away, false)] {
      var trouble = MachineTrouble()
      let isNews = trouble.met(failure, hold: 0, now: .zero)
      let isReleased = trouble.release(now: .seconds(2))
      #expect(isNews && isReleased)
      let isOver = trouble.passed(isPrint: false)
      #expect(isOver == ends && (trouble.failure == nil) == ends)
      let isPrinted = trouble.passed(isPrint: true)
      #expect(isPrinted != ends && trouble.failure == nil)
    }
  }

  @Test func `work that is held for this machine is tried at once when a disk is better`()
    async throws
  {
    let isFull = Mutex(true)
    let bench = Darkbench(download: { [full] _ throws(Failure) in
      if isFull.withLock({ $0 }) { throw full }
    })
    bench.add(1, photos: 1)
    await bench.troubles.reaches(1)
    isFull.withLock { $0 = false }
    bench.runner.relieve()
    await bench.finishedLists.reaches(1)
    #expect(bench.books.count(.filtered) == 1)
  }

  // MARK: admission

  @Test func `trouble with the network ends for all photos when the machine has one again`() {
    let away = Failure(.machine, scope: .one, code: Failure.noNetwork, reason: "no network")
    var admission = Admission(window: 64)
    for list in 1...2 {
      admission.add(ListID(UInt64(list)), ListLines(.default), isPaused: false, now: .zero)
    }
    for _ in 0..<100 {
      guard let photo = take(&admission, now: .zero, total: 20) else { break }
      admission.ended(photo, .listTrouble(photo.list == ListID(1) ? away : odd), now: .zero)
    }
    #expect(news(&admission).count == 2)
    #expect(admission.setbacks[ListID(1)]?.isBlocked == true)
    admission.reconnected(now: .milliseconds(1))
    #expect(news(&admission) == [Setbacks.News(list: ListID(1), failure: nil)])
    var photos: Set<PhotoID> = []
    while let photo = take(&admission, now: .milliseconds(1), total: 20) { photos.insert(photo) }
    #expect(photos == Set((1...20).map { PhotoID(list: ListID(1), number: $0) }))
    admission.reconnected(now: .milliseconds(1))
    #expect(news(&admission).isEmpty && admission.setbacks[ListID(2)]?.isBlocked == true)
  }

  private func take(_ admission: inout Admission, now: Duration, total: UInt32) -> PhotoID? {
    admission.take(now: now, total: total) { _ in Admission.Prospect() }?.photo
  }

  @Test func `trouble of one list does not take places from the others`() {
    var admission = Admission(window: 64)
    for list in 1...2 {
      admission.add(ListID(UInt64(list)), ListLines(.default), isPaused: false, now: .zero)
    }
    var given: [UInt64: Int] = [:]
    for _ in 0..<200 {
      guard let photo = take(&admission, now: .zero, total: 100) else { break }
      given[photo.list.number, default: 0] += 1
      let end: PhotoEnd = photo.list == ListID(1) ? .listTrouble(odd) : .filtered
      admission.ended(photo, end, now: .zero)
    }
    #expect(given == [1: Setback.mostStrikes, 2: 100])
    #expect(news(&admission) == [.init(list: ListID(1), failure: odd)])
    #expect(admission.doneLists == [ListID(2)])
    #expect(admission.nextDue == .seconds(1))
  }

  @Test func `one odd photo does not hold up its list, and its print ends the trouble`() {
    var admission = Admission(window: 4)
    admission.add(ListID(1), ListLines(.default), isPaused: false, now: .zero)
    var now = Duration.zero
    var isOdd = true
    var filtered = 0
    for _ in 0..<2000 where filtered < 100 {
      guard let photo = take(&admission, now: now, total: 100) else {
        now = admission.nextDue ?? now
        if filtered == 99 { isOdd = false }
        continue
      }
      if photo.number == 1, isOdd {
        admission.ended(photo, .listTrouble(odd), now: now)
      } else {
        filtered += 1
        admission.ended(photo, .filtered, now: now)
      }
    }
    #expect(filtered == 100)
    #expect(
      news(&admission)
        == [.init(list: ListID(1), failure: odd), .init(list: ListID(1), failure: nil)])
  }

  @Test func `a blocked list tries one photo at a time, and continues once one succeeds`() {
    var admission = Admission(window: 64)
    admission.add(ListID(1), ListLines(.default), isPaused: false, now: .zero)
    for _ in 0..<Setback.mostStrikes {
      if let photo = take(&admission, now: .zero, total: 100) {
        admission.ended(photo, .listTrouble(odd), now: .zero)
      }
    }
    #expect(take(&admission, now: .milliseconds(900), total: 100) == nil)
    let trial = take(&admission, now: .seconds(1), total: 100)
    #expect(trial == photo(1, 9), "a photo that has not met the trouble yet")
    #expect(take(&admission, now: .seconds(1), total: 100) == nil, "one at a time")
    if let trial { admission.ended(trial, .filtered, now: .seconds(1)) }
    var more = 0
    while take(&admission, now: .seconds(1), total: 100) != nil { more += 1 }
    #expect(more == 64, "as many as the window holds")
  }

  @Test func `a trial that is stopped is repeated, and a dropped list is forgotten`() {
    var admission = Admission(window: 64)
    admission.add(ListID(1), ListLines(.default), isPaused: false, now: .zero)
    for _ in 0..<Setback.mostStrikes {
      if let photo = take(&admission, now: .zero, total: 100) {
        admission.ended(photo, .listTrouble(odd), now: .zero)
      }
    }
    if let trial = take(&admission, now: .seconds(1), total: 100) {
      admission.ended(trial, .stopped, now: .seconds(1))
    }
    #expect(take(&admission, now: .seconds(1), total: 100) == photo(1, 9))
    admission.drop(ListID(1), now: .seconds(1))
    _ = admission.setbacks.takeNews()
    #expect(admission.setbacks[ListID(1)] == nil && admission.nextDue == nil)
  }

  // MARK: chains

  @Test func `a folder in place of a print gives one warning and one recovery, for its list alone`()
    async
  {
    let isOdd = Flag(true)
    let bench = Darkbench(output: { [odd] work throws(Failure) in
      if work.photo == PhotoID(list: ListID(1), number: 1), isOdd.isOn { throw odd }
    })
    bench.add(1, photos: 3)
    bench.add(2, photos: 200)
    await bench.listTroubles.reaches(1)
    await bench.finishedLists.reaches(1)
    #expect(bench.books.notes.withLock { $0.finished } == [ListID(2)])
    #expect(bench.troubles.count == 0 && bench.books.count(.filtered) == 202)
    for _ in 0..<3 {
      let filters = bench.filters.count
      while bench.filters.count == filters {
        bench.time.advance(by: .seconds(60))
        await Task.yield()
      }
    }
    #expect(bench.listTroubles.count == 1 && bench.listRecoveries.count == 0)
    isOdd.turnOff()
    while bench.finishedLists.count < 2 {
      bench.time.advance(by: .seconds(60))
      await Task.yield()
    }
    await bench.listRecoveries.reaches(1)
    #expect(bench.listTroubles.count == 1 && bench.listRecoveries.count == 1)
    #expect(bench.books.count(.filtered) == 203 && bench.books.count(.failed) == 0)
    #expect(bench.downloads.count == 203, "an original is downloaded once")
  }

  @Test func `a list whose files cannot be read is reported, and others continue`() async {
    let gone = Failure(.final, code: "list.gone", reason: "open catalog: no such file")
    let bench = Darkbench()
    bench.books.notes.withLock { $0.unreadable[ListID(1)] = gone }
    bench.add(1, photos: 5)
    bench.add(2, photos: 5)
    await bench.unreadable.reaches(1)
    await bench.finishedLists.reaches(1)
    #expect(bench.books.notes.withLock { $0.finished } == [ListID(2)])
    #expect(bench.books.count(.failed) == 0)
  }

  @Test func `an order is read once for a photo that need not wait for its host`() async {
    let bench = Darkbench()
    bench.add(1, photos: 50)
    await bench.finishedLists.reaches(1)
    #expect(bench.books.notes.withLock { $0.orders } == 50)
  }
}
