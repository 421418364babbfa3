// SPDX-License-Identifier: Apache-2.0
// The turns of requests at the workers, as a value: between users first, then by class, and none starves.

import Linux
import Support
import Testing
import Vocabulary

@testable import Worker

@Suite struct WorkerTurnsTests {
  private static let done = JobAnswer.success(.listRead)

  private static func order(_ owner: UInt32, _ serviceClass: ServiceClass) -> PoolOrder {
    let options = WorkerOptions(
      owner: owner, readsLists: false, nice: serviceClass.nice, memory: 1, output: 1)
    return PoolOrder(options: options, serviceClass: serviceClass, timeout: .seconds(10))
  }

  /// A pool whose workers start and answer at once; the requests begin in this order.
  private struct World {
    var state: PoolState
    private(set) var begun: [JobNumber] = []
    private(set) var running: [JobNumber: WorkerNumber] = [:]

    init(width: Int, spares: Int = 0) {
      var settings = WorkerSettings(path: "/worker", width: width)
      settings.spares = spares
      state = PoolState(settings: settings)
    }

    mutating func feed(_ event: PoolState.Event) {
      var events = [event]
      while !events.isEmpty {
        for action in state.handle(events.removeFirst(), at: .zero) {
          switch action {
          case .start(let worker, _): events.append(.ready(worker, .all))
          case .send(let job, let worker, _):
            begun.append(job)
            running[job] = worker
          case .kill(let worker): events.append(.exited(worker, .killed))
          case .finish(let job, _): running[job] = nil
          case .tell: break
          }
        }
      }
    }

    /// The request of a worker ends.
    mutating func end(_ job: JobNumber) {
      if let worker = running[job] { feed(.answered(worker, job, WorkerTurnsTests.done)) }
    }

    mutating func endOldest() {
      if let job = begun.first(where: { running[$0] != nil }) { end(job) }
    }
  }

  @Test func `a user without a worker goes before one who has workers, whatever their classes`() {
    var world = World(width: 2)
    for job in 1...6 as ClosedRange<JobNumber> {
      world.feed(.ordered(job, Self.order(1, .userInteractive)))
    }
    for job in 7...9 as ClosedRange<JobNumber> {
      world.feed(.ordered(job, Self.order(2, .background)))
    }
    for job in [1, 7, 2, 8] as [JobNumber] { world.end(job) }
    #expect(world.begun == [1, 2, 7, 8, 3, 9])
  }

  @Test func `a user without a worker does not wait for the end of large pictures of another one`()
  {
    var world = World(width: 2, spares: 2)
    for job in 1...3 as ClosedRange<JobNumber> {
      world.feed(.ordered(job, Self.order(1, .default)))
    }
    #expect(world.begun == [1, 2])
    for job in 4...5 as ClosedRange<JobNumber> {
      world.feed(.ordered(job, Self.order(2, .default)))
    }
    #expect(world.begun == [1, 2, 4])
    world.end(4)
    #expect(world.begun == [1, 2, 4, 5])
  }

  /// The requests of an endless urgent list are ordered one by one, as those before end: memory is short, and there are
  /// fewer workers than photos at the filter. A contact sheet waits beside them.
  @Test func `a request of the least urgent class gets a worker beside an endless urgent list`() {
    for owner in [1, 2] as [UInt32] {
      var world = World(width: 1)
      for job in 1...3 as ClosedRange<JobNumber> {
        world.feed(.ordered(job, Self.order(1, .userInteractive)))
      }
      world.feed(.ordered(4, Self.order(owner, .background)))
      for job in 5...30 as ClosedRange<JobNumber> {
        world.endOldest()
        world.feed(.ordered(job, Self.order(1, .userInteractive)))
      }
      #expect(world.begun.prefix(20).contains(4), "\(world.begun)")
    }
  }

  @Test(arguments: 1...(LongForm.number("LIVES") == nil ? 4 : 100 as UInt64))
  func `no request is passed over for long`(seed: UInt64) {
    var random = SimulatedRandom(seed: seed)
    var world = World(
      width: Int.random(in: 1...3, using: &random), spares: Int.random(in: 0...3, using: &random))
    var last: JobNumber = 0
    for _ in 0..<2000 {
      while world.state.waiting.count < 12 {
        last += 1
        let isUrgent = Int.random(in: 0...9, using: &random) > 0
        let owner = isUrgent ? 1 : UInt32.random(in: 1...4, using: &random)
        world.feed(.ordered(last, Self.order(owner, isUrgent ? .userInteractive : .background)))
      }
      world.endOldest()
    }
    let waits = world.begun.enumerated().map { $0.offset - Int($0.element) }
    #expect((waits.max() ?? 0) < 8 * 16, "\(waits.max() ?? 0)")
    #expect(world.begun.count >= 2000)
  }
}
