// SPDX-License-Identifier: Apache-2.0
// The runner with real operations over scripted stages: retries, pauses, cancels, a full disk,
// stops.

import Foundation
import Support
import Synchronization
import Testing
import Vocabulary

@testable import Chain

@Suite struct ChainTests {
  @Test func `a list is finished once its photos are downloaded, filtered and printed`() async {
    let bench = Darkbench()
    bench.add(1, photos: 100)
    await bench.finishedLists.reaches(1)
    #expect(bench.books.count(.filtered) == 100)
    #expect(bench.downloads.count == 100)
    #expect(bench.books.notes.withLock { $0.finished } == [ListID(1)])
  }

  @Test func `a photo that is recorded as downloaded is not downloaded again`() async throws {
    let bench = Darkbench()
    let contents = Contents(size: 1, hash: 1)
    bench.books.addList(ListID(1), photos: 4)
    try bench.books.record([
      .downloaded(PhotoID(list: ListID(1), number: 2), contents),
      .filtered(PhotoID(list: ListID(1), number: 3), contents),
    ])
    bench.add(1, photos: 4)
    await bench.finishedLists.reaches(1)
    #expect(bench.downloads.count == 2)
    #expect(bench.recalls.count == 1)
    #expect(bench.filters.count == 3)
  }

  @Test func `a failed stage ends the chain with its reason and nothing after it starts`() async {
    let gone = Failure(.final, code: "http.404", reason: "the origin answered 404 Not Found")
    let bench = Darkbench(download: { work throws(Failure) in
      if work.photo.number == 2 { throw gone }
    })
    bench.add(1, photos: 3)
    await bench.finishedLists.reaches(1)
    #expect(bench.filters.count == 2)
    #expect(bench.books.count(.filtered) == 2)
    #expect(bench.books.notes.withLock { Array($0.failures.values) } == [gone])
  }

  @Test func `a passing failure is retried when it is due, not before`() async {
    let down = Failure(.passing, code: "connect.refused", reason: "connection refused")
    let bench = Darkbench(download: { work throws(Failure) in
      if work.attempt < 3 { throw down }
    })
    bench.add(1, photos: 1)
    await bench.downloads.reaches(1)
    for attempt in 2...3 {
      await bench.time.scheduled(1)
      bench.time.advance(by: .seconds(900))
      await bench.downloads.reaches(attempt)
    }
    await bench.finishedLists.reaches(1)
    #expect(bench.downloads.count == 3)
    #expect(bench.books.count(.filtered) == 1)
  }

  @Test func `originals that this machine loses count as no attempts of their photo`() async {
    let attempts = Mutex<[UInt32]>([])
    let bench = Darkbench(
      policy: RetryPolicy(attempts: 1),
      filter: { work throws(Failure) in
        let count = attempts.withLock { attempts in
          attempts.append(work.attempt)
          return attempts.count
        }
        if count <= 3 { throw Failure(.passing, code: Failure.lostOriginal, reason: "it is gone") }
      })
    bench.add(1, photos: 1)
    await bench.finishedLists.reaches(1)
    #expect(bench.filters.count == 4 && bench.prints.count == 1)
    #expect(attempts.withLock { Set($0).count } == 1)
  }

  @Test func `a pause lets running steps finish and starts no others until a resume`() async {
    let gate = Gate()
    let bench = Darkbench(download: { _ throws(Failure) in try await gate.pass() })
    bench.add(1, photos: 20)
    await gate.arrivals.reaches(4)
    bench.runner.pause(ListID(1))
    gate.open()
    await bench.runner.idle()
    #expect(bench.downloads.count == 4)
    #expect(bench.filters.count == 0)
    #expect(bench.books.count(.downloaded) == 4)
    bench.runner.resume(ListID(1))
    await bench.finishedLists.reaches(1)
    #expect(bench.downloads.count == 20)
    #expect(bench.recalls.count == 4)
  }

  @Test func `cancelling a list stops its running steps and spares other lists`() async {
    let gate = Gate()
    let bench = Darkbench(download: { work throws(Failure) in
      if work.photo.list == ListID(1) { try await gate.pass() }
    })
    bench.add(1, photos: 1000)
    await gate.arrivals.reaches(4)
    bench.add(2, photos: 10)
    await bench.cancel(ListID(1))
    await bench.finishedLists.reaches(1)
    await bench.runner.idle()
    #expect(bench.books.notes.withLock { $0.finished } == [ListID(2)])
    #expect(bench.books.count(.filtered) == 10)
    #expect(bench.books.count(.failed) == 0)
  }

  @Test func `cancelling a list does not wait for the downloads of others`() async {
    let gate = Gate()
    let bench = Darkbench(download: { work throws(Failure) in
      if work.photo.list == ListID(1) { try await gate.pass() }
    })
    bench.add(1, photos: 4)
    await gate.arrivals.reaches(4)
    bench.add(2, photos: 6)
    await bench.cancel(ListID(2))
    #expect(bench.downloads.count == 4)
    gate.open()
    await bench.finishedLists.reaches(1)
    #expect(bench.books.count(.filtered) == 4)
  }

  @Test func `the photos of a user go on although all downloads of another user hang`() async {
    let gate = Gate()
    let widths = StageQueues.Widths(download: 4, filter: 2, output: 4, isShared: true)
    let bench = Darkbench(
      widths: widths,
      download: { work throws(Failure) in
        if work.photo.list == ListID(1) { try await gate.pass() }
      })
    bench.add(1, photos: 100, of: 1000)
    await gate.arrivals.reaches(widths.window - widths.kept)
    bench.add(2, photos: 5, of: 2000)
    await bench.finishedLists.reaches(1)
    #expect(bench.books.count(.filtered) == 5)
    gate.open()
    await bench.finishedLists.reaches(2)
  }

  @Test func `a pause and a short disk end downloads that wait for a connection`() async {
    let gate = Gate()
    let bench = Darkbench(download: { _ throws(Failure) in try await gate.pass() })
    bench.stages.running.withLock { $0[photo(1, 1)] = .waiting }
    bench.add(1, photos: 1)
    await gate.arrivals.reaches(1)
    bench.runner.pause(ListID(1))
    await bench.runner.idle()
    bench.runner.resume(ListID(1))
    await gate.arrivals.reaches(2)
    bench.runner.suspendDownloads(true)
    await gate.arrivals.reaches(3)
    gate.open()
    await bench.finishedLists.reaches(1)
    #expect(bench.downloads.count == 3 && bench.books.count(.filtered) == 1)
  }

  @Test func `lists added and cancelled while every connection is busy do not pile up`()
    async
  {
    let gate = Gate()
    let widths = StageQueues.Widths(download: 4, filter: 2, output: 4)
    let bench = Darkbench(
      widths: widths,
      download: { work throws(Failure) in
        if work.photo.list == ListID(1) { try await gate.pass() }
      })
    bench.add(1, photos: 4)
    await gate.arrivals.reaches(4)
    for list in 2...50 {
      bench.add(UInt64(list), photos: 100)
      await bench.cancel(ListID(UInt64(list)))
    }
    #expect(bench.runner.counts().queued <= 2 * widths.window)
    bench.add(51, photos: 10)
    gate.open()
    await bench.finishedLists.reaches(2)
    #expect(bench.books.count(.filtered) == 14)
  }

  @Test func `the finished pictures of a cancelled list are discarded, each once`() async {
    let gate = Gate()
    let bench = Darkbench(
      widths: .init(download: 4, filter: 4, output: 1),
      output: { _ throws(Failure) in try await gate.pass() })
    bench.add(1, photos: 4)
    await bench.filters.reaches(4)
    await gate.arrivals.reaches(1)
    await bench.cancel(ListID(1))
    #expect(bench.discards.count == 4)
    #expect(bench.prints.count == 0)
    gate.open()
    bench.add(2, photos: 3)
    await bench.finishedLists.reaches(1)
    #expect(bench.discards.count == 4 && bench.prints.count == 3)
  }

  @Test func `a full disk fails no photo, and work resumes when it has room`() async {
    let full = Failure(.machine, code: "disk.full", reason: "no space left on device")
    let isFull = Mutex(true)
    let bench = Darkbench(output: { _ throws(Failure) in
      if isFull.withLock({ $0 }) { throw full }
    })
    bench.add(1, photos: 50)
    await bench.troubles.reaches(1)
    isFull.withLock { $0 = false }
    // A thread may report the full disk after the first check whether the trouble is over.
    let finished = Mutex(false)
    async let end: Void = {
      await bench.finishedLists.reaches(1)
      finished.withLock { $0 = true }
    }()
    while !finished.withLock({ $0 }) {
      bench.time.advance(by: .seconds(60))
      await Task.yield()
    }
    await end
    await bench.recoveries.reaches(1)
    #expect(bench.books.count(.filtered) == 50)
    #expect(bench.books.count(.failed) == 0)
    #expect(bench.downloads.count == 50)
    #expect(bench.recoveries.count <= bench.troubles.count)
  }

  @Test func `failures from a full disk do not delay work once it has room again`()
    async
  {
    let full = Failure(.machine, code: "disk.full", reason: "no space left on device")
    let gate = Gate()
    let isFull = Mutex(true)
    let bench = Darkbench(
      widths: .init(download: 16, filter: 2, output: 4),
      download: { _ throws(Failure) in
        guard isFull.withLock({ $0 }) else { return }
        try await gate.pass()
        throw full
      })
    bench.add(1, photos: 50)
    await gate.arrivals.reaches(16)
    gate.open()
    await bench.troubles.reaches(1)
    isFull.withLock { $0 = false }
    await bench.time.scheduled(1)
    // One advance is enough, although sixteen chains have yet to report their failure.
    bench.time.advance(by: .seconds(60))
    await bench.finishedLists.reaches(1)
    #expect(bench.books.count(.filtered) == 50)
    #expect(bench.troubles.count == 1)
  }

  @Test func `a failure that cannot be recorded is recorded later`() async {
    let gone = Failure(.final, code: "http.404", reason: "the origin answered 404 Not Found")
    let bench = Darkbench(download: { _ throws(Failure) in throw gone })
    bench.books.notes.withLock {
      $0.refusal = Failure(.machine, code: "disk.full", reason: "no space left on device")
    }
    bench.add(1, photos: 1)
    await bench.troubles.reaches(1)
    #expect(bench.books.count(.failed) == 0)
    await bench.time.scheduled(1)
    bench.time.advance(by: .seconds(60))
    await bench.finishedLists.reaches(1)
    #expect(bench.books.count(.failed) == 1)
  }

  @Test func `a stop cancels running steps and returns when none is left`() async {
    let gate = Gate()
    let bench = Darkbench(download: { _ throws(Failure) in try await gate.pass() })
    bench.add(1, photos: 500)
    await gate.arrivals.reaches(4)
    await bench.runner.stop()
    var counts = bench.runner.counts()
    // The queues drop cancelled operations a moment later.
    counts.queued = 0
    #expect(counts == ChainCounts())
    #expect(bench.books.count(.failed) == 0)
    #expect(bench.books.notes.withLock { $0.finished }.isEmpty)
  }

  @Test func `more urgent lists overtake, and the least urgent one never starves`() async {
    let gate = Gate()
    let order = Mutex<[UInt64]>([])
    let bench = Darkbench(
      widths: .init(download: 1, filter: 1, output: 1),
      download: { work throws(Failure) in
        try await gate.pass()
        order.withLock { $0.append(work.photo.list.number) }
      })
    bench.add(1, photos: 120, .background)
    await gate.arrivals.reaches(1)
    bench.add(2, photos: 400, .userInteractive)
    gate.open()
    await bench.finishedLists.reaches(2)
    let served = order.withLock { $0 }
    let early = served.prefix(served.lastIndex(of: 2) ?? 0).count { $0 == 1 }
    // Admission has one slot in eight. In the queues they wait for urgent ones, the longer the busier the machine is;
    // the first one was there alone.
    #expect(early > 1 && early < 400 / 4, "\(served)")
  }

  @Test func `a focus takes no places at the filter from another user`() async throws {
    let (gate, time) = (Gate(), SimulatedClock(uptime: .seconds(1000)))
    let order = Mutex<[UInt64]>([])
    let bench = Darkbench(
      widths: .init(download: 8, filter: 1, output: 1), time: time,
      filter: { work throws(Failure) in
        try await gate.pass()
        order.withLock { $0.append(work.photo.list.number) }
        // The turn of its user is over.
        time.advance(by: .seconds(1))
      })
    bench.add(3, photos: 1, of: 3000)
    await gate.arrivals.reaches(1)
    bench.add(1, photos: 8, of: 1000)
    try bench.runner.focus(
      FocusBoard.Viewer(ListID(1), user: 1000), on: Array(1...8), for: .seconds(60))
    bench.add(2, photos: 8, of: 2000)
    while bench.books.count(.downloaded) < 17 { await Task.yield() }
    gate.open()
    await bench.finishedLists.reaches(3)
    let served = order.withLock { $0 }
    #expect(served.dropFirst().prefix(8).count { $0 == 2 } >= 3, "\(served)")
  }
}
