// SPDX-License-Identifier: Apache-2.0
// Lists with hosts that lead photos to closed servers, and hosts that answer themselves. As values: no thread, no clock.

import Support
import Testing
import Vocabulary

@testable import Chain

@Suite struct AstrayTests {
  private let list = ListID(1)

  /// An admission with the list, of `total` photos, of which the last 50 are of the host `well`; the others are of `bad`
  /// hosts.
  private struct World {
    var admission = Admission(window: 100)
    let total: UInt32
    let bad: [String]
    /// The photos that each host has got.
    var given: [String: Set<UInt32>] = [:]
    private var tried: Set<UInt32> = []
    /// The server behind the bad hosts answers.
    var isBack = false
    let retry: Duration

    init(_ total: UInt32, bad: [String] = ["bad"], retry: Duration = .seconds(9999)) {
      (self.total, self.bad, self.retry) = (total, bad, retry)
      admission.add(ListID(1), ListLines(.default), isPaused: false, now: .zero)
    }

    func host(of photo: PhotoID) -> String {
      photo.number + 50 > total ? "well" : bad[Int(photo.number) % bad.count]
    }

    mutating func next() -> PhotoID? {
      let (total, bad, tried) = (total, bad, tried)
      let next = admission.take(now: .zero, total: total) { photo in
        let isWell = photo.number + 50 > total
        return Admission.Prospect(
          host: isWell ? "well" : bad[Int(photo.number) % bad.count],
          isTried: tried.contains(photo.number))
      }
      return next?.photo
    }

    /// All photos that may go begin, and end one after the other.
    mutating func run() {
      var flying: [PhotoID] = []
      repeat {
        while let next = next() { flying.append(next) }
        if flying.isEmpty { return }
        let photo = flying.removeFirst()
        let host = host(of: photo)
        given[host, default: []].insert(photo.number)
        tried.insert(photo.number)
        if host == "well" || isBack {
          let server = host == "well" ? "well" : "behind"
          _ = admission.answered(photo, by: server, .answered, now: .zero, jitter: 0)
          admission.ended(photo, .filtered, now: .zero)
        } else {
          let outcome = HostWindow.Outcome(reset.at("behind"))
          _ = admission.answered(photo, by: "behind", outcome, now: .zero, jitter: 1)
          admission.ended(photo, .retry(after: retry), now: .zero)
        }
      } while true
    }
  }

  @Test(arguments: [250, 1000, 3000])
  func `photos of a host that answers go on, however many others are held before them`(
    total: UInt32
  ) async throws {
    let world = try await computing {
      var world = World(total)
      world.run()
      return world
    }
    #expect(world.given["well"]?.count == 50)
    let tried = world.given["bad"]?.count ?? 0
    #expect(tried >= Admission.Line.mostLed && tried <= Admission.Line.mostLed + 2, "\(tried)")
    let held = world.admission.lines[LineKey(list)]?.held
    #expect(held?.count ?? 0 <= 2 * HeldPhotos.most, "\(held?.count ?? 0)")
    #expect(held?.hasPassed == (total == 3000) && world.admission.doneLists.isEmpty)
  }

  @Test(arguments: [5000, 20_000] as [UInt32])
  func `photos that the cursor has passed by are tried once the server is well`(
    total: UInt32
  ) async throws {
    let list = list
    let (world, cursor) = try await computing {
      var world = World(total)
      world.run()
      let cursor = world.admission.lines[LineKey(list)]?.cursor
      world.isBack = true
      let other = ListID(2)
      world.admission.add(other, ListLines(.default), isPaused: false, now: .zero)
      if let probe = world.next() {
        _ = world.admission.answered(probe, by: "behind", .answered, now: .zero, jitter: 0)
      }
      world.admission.drop(other, now: .zero)
      world.run()
      return (world, cursor)
    }
    // Past photos that are tried, that are held, and that are left for later.
    let furthest = 200 + HeldPhotos.most + Admission.Line.mostPasses
    #expect(cursor ?? 0 <= furthest || total == 5000, "\(cursor ?? 0)")
    #expect(world.given["bad"]?.count == Int(total) - 50 && world.given["well"]?.count == 50)
    #expect(world.admission.turns.looks < 15 * Int(total), "\(world.admission.turns.looks)")
    let line = world.admission.lines[LineKey(list)]
    #expect(line?.held.isEmpty == true && line?.isExhausted == true)
  }

  @Test func `photos that several hosts lead astray do not stop the search for others`()
    async throws
  {
    let world = try await computing {
      // All that were tried wait for the closed server at once.
      var world = World(4000, bad: (0..<12).map { "bad\($0)" }, retry: .zero)
      world.run()
      return world
    }
    #expect(world.given["well"]?.count == 50)
    let line = world.admission.lines[LineKey(list)]
    #expect(line?.forHost.count ?? 0 >= Admission.Line.longestWait)
    #expect(line?.forHost.ledCount == line?.forHost.count)
  }
}
