// SPDX-License-Identifier: Apache-2.0
// Faults of Foundation's Operation on Linux: use after free on cancel, lost wake-ups, quadratic
// queues, queues that start operations while suspended. Each has been observed; none may reach the
// daemon.

import Foundation
import Record
import Support
import Synchronization
import Testing
import Vocabulary

@testable import Chain

@Suite(.serialized) struct OperationTrapTests {
  @Test func `cancelling everything while downloads run frees nothing too early`() async {
    for _ in 0..<40 {
      let gate = Gate()
      let bench = Darkbench(download: { _ throws(Failure) in try await gate.pass() })
      bench.add(1, photos: 50)
      await gate.arrivals.reaches(4)
      await bench.cancel(ListID(1))
      // Overwrites memory that was freed too early.
      var junk: [[UInt8]] = []
      for size in 0..<500 { junk.append([UInt8](repeating: 0x41, count: 100 + size % 700)) }
      await bench.runner.idle()
      #expect(junk.count == 500)
    }
  }

  @Test func `an operation that is added while its dependency finishes is not forgotten`() async {
    let bench = Darkbench(widths: .init(download: 2, filter: 1, output: 2))
    for list in 1...20 { bench.add(UInt64(list), photos: 500) }
    await bench.finishedLists.reaches(20)
    #expect(bench.books.count(.filtered) == 10_000)
  }

  @Test func `random cancels lose no photo of the remaining lists`() async {
    let bench = Darkbench()
    var random = SplitMix(seed: 7)
    for list in 1...40 {
      bench.add(UInt64(list), photos: 200)
      if list % 2 == 0 {
        await bench.cancel(ListID(UInt64.random(in: 2...40, using: &random) & ~1))
      }
    }
    await bench.finishedLists.reaches(20)
    await bench.runner.idle()
    let odd = bench.books.notes.withLock { notes in
      notes.ledger.lists.values.filter { $0.id.number % 2 == 1 }
        .reduce(0) { $0 + $1.counts.filtered }
    }
    #expect(odd == 4000)
  }

  @Test func `a list of 10,000 photos exists as a window of chains`() async {
    let inFlight = Tally()
    let widths = StageQueues.Widths(download: 8, filter: 2, output: 8)
    let bench = Darkbench(
      widths: widths,
      download: { _ throws(Failure) in inFlight.add() },
      output: { _ throws(Failure) in inFlight.add(-1) })
    bench.add(1, photos: 10_000)
    #expect(bench.runner.counts().inFlight <= widths.window)
    await bench.finishedLists.reaches(1)
    #expect(bench.books.count(.filtered) == 10_000)
    #expect(inFlight.highest <= widths.window)
  }

  @Test func `a suspended queue starts nothing`() async {
    let queues = StageQueues(.init(download: 2, filter: 2, output: 2))
    let started = Tally()
    let finished = Tally()
    queues.isSuspended = true
    for number in 0..<100 {
      let operation = StageOperation<Int>(
        name: "\(number)", serviceClass: .default, whenFinished: { finished.add() }
      ) {
        started.add()
        return .success(number)
      }
      queues.add(operation, to: .download)
    }
    #expect(queues.depth(of: .download) == 100)
    #expect(started.count == 0)
    queues.isSuspended = false
    await finished.reaches(100)
    #expect(started.count == 100)
  }

  @Test func `a cancelled operation does not run its body and finishes as cancelled`() async {
    let queues = StageQueues(.init(download: 1, filter: 1, output: 1))
    let finished = Tally()
    let ran = Tally()
    queues.isSuspended = true
    let operation = StageOperation<Int>(
      name: "x", serviceClass: .default, whenFinished: { finished.add() }
    ) {
      ran.add()
      return .success(1)
    }
    queues.add(operation, to: .download)
    operation.cancel()
    queues.isSuspended = false
    await finished.reaches(1)
    #expect(ran.count == 0)
    #expect(operation.outcome == .failure(.cancelled))
  }

  @Test func `a finished chain leaves nothing in memory`() async {
    weak var remembered: PhotoChain<String>?
    let owner = LoneOwner()
    do {
      let chain = PhotoChain(
        PhotoWork(
          photo: PhotoID(list: ListID(1), number: 1),
          order: "order \(PhotoID(list: ListID(1), number: 1))", state: .new,
          serviceClass: .default, attempt: 1, admitted: .zero),
        owner: owner)
      remembered = chain
      let stages = ScriptedStages(
        books: .ofOnePhoto, onDownload: { _ throws(Failure) in },
        onFilter: { _ throws(Failure) in },
        onOutput: { _ throws(Failure) in })
      chain.begin(stages, on: StageQueues(.init(download: 1, filter: 1, output: 1)))
      await owner.ends.reaches(1)
    }
    // The last thread releases the chain a moment after it reports the end.
    while remembered != nil { await Task.yield() }
  }
}

/// Owns one chain and counts its ends.
private final class LoneOwner: ChainOwner {
  let ends = Tally()
  var holds: UInt { 0 }

  func arrived(_ photo: PhotoID, from server: String?) {}
  func awaitPlace(_ chain: PhotoChain<String>) { chain.beginFilter() }
  func leavePlace(_ chain: PhotoChain<String>) {}
  func settle(
    _ work: PhotoWork<String>, _ stage: Stage, _ failure: Failure, hold: UInt
  ) async -> PhotoEnd { .failed }
  func ended(_ photo: PhotoID, _ end: PhotoEnd) { ends.add() }
  func released(_ photo: PhotoID) {}
}

/// A small seeded generator, with the same numbers in every run.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64
  init(seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
