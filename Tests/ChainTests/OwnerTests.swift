// SPDX-License-Identifier: Apache-2.0
// Users share the window, and the hosts, whatever the number of their lists; none starves.

import Support
import Testing
import Vocabulary

@testable import Chain

@Suite struct OwnerTests {
  /// Lists of one user each, by number from 1.
  private func admission(_ owners: [UInt32], window: Int, _ c: ServiceClass = .default) -> Admission
  {
    var admission = Admission(window: window)
    for (place, owner) in owners.enumerated() {
      admission.add(
        ListID(UInt64(place + 1)), ListLines(c, owner: owner), isPaused: false, now: .zero)
    }
    return admission
  }

  private func take(_ admission: inout Admission, host: String? = nil) -> PhotoID? {
    admission.take(now: .zero, total: 1_000_000) { _ in Admission.Prospect(host: host) }?.photo
  }

  @Test func `a user with forty lists gets as many places as one with a single list`() {
    var admission = admission([UInt32](repeating: 1000, count: 40) + [2000], window: 100)
    let taken = (0..<100).compactMap { _ in take(&admission) }
    #expect(taken.count { $0.list == ListID(41) } == 50)
    #expect(Set(taken.map(\.list)).count == 5, "the lists of a user take turns of sixteen photos")
  }

  /// All photos take the same time, and end in the order in which they began.
  @Test func `a new user catches up with one who fills the window`() throws {
    var admission = admission([1000], window: 64)
    var running = (0..<64).compactMap { _ in take(&admission) }
    admission.add(ListID(2), ListLines(.default, owner: 2000), isPaused: false, now: .zero)
    var owners: [UInt64] = []
    for _ in 0..<64 {
      admission.ended(running.removeFirst(), .filtered, now: .zero)
      let next = try #require(take(&admission))
      running.append(next)
      owners.append(next.list.number)
    }
    // One turn in eight is for the user whose turn was longest ago.
    #expect(owners.prefix(32).count { $0 == 2 } >= 28)
    #expect(running.count { $0.list == ListID(2) } >= 31)
    #expect(running.count { $0.list == ListID(1) } >= 28)
  }

  // MARK: kept places

  /// Adds a list; returns how many photos are given until none has room.
  private func fill(
    _ admission: inout Admission, _ list: UInt64, of owner: UInt32, _ c: ServiceClass = .default
  ) -> Int {
    admission.add(ListID(list), ListLines(c, owner: owner), isPaused: false, now: .zero)
    var count = 0
    while take(&admission) != nil { count += 1 }
    return count
  }

  @Test func `a user who fills the window in all classes leaves places for others in any class`() {
    var admission = Admission(window: 16, reserve: 6, kept: 4)
    #expect(fill(&admission, 1, of: 1000) == 12)
    #expect(fill(&admission, 2, of: 1000, .userInteractive) == 6)
    let others = (3...7).map { fill(&admission, UInt64($0), of: UInt32($0), .background) }
    #expect(others == [1, 1, 1, 1, 0])
  }

  @Test func `a user gets several of many kept places, and leaves some for the next one`() {
    var admission = Admission(window: 160, kept: 40)
    let taken = (1...3).map { fill(&admission, UInt64($0), of: UInt32($0)) }
    #expect(taken == [120, 8, 7])
  }

  @Test func `a photo that is due while the window is full for its user sets no alarm`() {
    var admission = Admission(window: 4, kept: 1)
    func add(_ list: UInt64, _ owner: UInt32, due: Duration) {
      admission.add(
        ListID(list), ListLines(.default, owner: owner, waiting: [(9, due)]), isPaused: false,
        now: .zero)
    }
    add(1, 1000, due: .seconds(1))
    let taken = (0..<4).compactMap { _ in take(&admission) }
    #expect(taken.count == 3 && admission.nextDue == nil)
    add(2, 2000, due: .seconds(2))
    #expect(admission.nextDue == .seconds(2))
  }

  @Test func `a host calls the photos of a user who has room in the window`() {
    var admission = Admission(window: 8, kept: 2)
    admission.add(ListID(1), ListLines(.default, owner: 1000), isPaused: false, now: .zero)
    func next(_ admission: inout Admission) -> PhotoID? {
      admission.take(now: .zero, total: 100) { photo in
        let isElsewhere = photo.list == ListID(1) && photo.number > 3
        return Admission.Prospect(host: isElsewhere ? "\(photo.number)" : "a")
      }?.photo
    }
    let taken = (0..<9).compactMap { _ in next(&admission)?.number }
    #expect(taken == [1, 2, 4, 5, 6, 7], "the third one waits for the host")
    // The host calls the first user, for whom the window is full.
    _ = admission.answered(photo(1, 1), .unknown, now: .zero, jitter: 0)
    #expect(next(&admission) == nil)
    admission.add(ListID(2), ListLines(.default, owner: 2000), isPaused: false, now: .zero)
    #expect(next(&admission) == photo(2, 1))
    #expect(next(&admission) == nil)
    // With room the first user has a place again.
    for number: UInt32 in [4, 5, 6] { admission.ended(photo(1, number), .filtered, now: .zero) }
    _ = admission.answered(photo(1, 2), .unknown, now: .zero, jitter: 0)
    let both = [next(&admission), next(&admission)]
    #expect(both == [photo(2, 2), photo(1, 3)], "the host has places for each")
  }

  // MARK: turns

  @Test func `users take turns at a host, whatever the number of their lists`() {
    var admission = admission([UInt32](repeating: 1000, count: 9) + [2000], window: 1000)
    var order: [UInt64] = []
    var running = (0..<2).compactMap { _ in take(&admission, host: "a") }
    for _ in 0..<40 {
      guard let photo = running.first else { break }
      running.removeFirst()
      order.append(photo.list.number)
      // `unknown` leaves the window of the host as it is.
      _ = admission.answered(photo, .unknown, now: .zero, jitter: 0)
      admission.ended(photo, .filtered, now: .zero)
      if let next = take(&admission, host: "a") { running.append(next) }
    }
    #expect(order.suffix(20).count { $0 == 10 } == 10, "\(order)")
  }

  /// Photos that end together are of few lists then, and share the syncs of folders.
  @Test func `at a host users take turns photo by photo, and their lists turns of several`() {
    var admission = admission([1000, 1000, 1000, 2000], window: 1000)
    var running = (0..<4).compactMap { _ in take(&admission, host: "a") }
    var order: [UInt64] = []
    for _ in 0..<80 {
      guard let photo = running.first else { break }
      running.removeFirst()
      _ = admission.answered(photo, .unknown, now: .zero, jitter: 0)
      admission.ended(photo, .filtered, now: .zero)
      while let next = take(&admission, host: "a") {
        running.append(next)
        order.append(next.list.number)
      }
    }
    #expect(order.count == 80 && order.count { $0 == 4 } == 40, "\(order)")
    let turns = order.filter { $0 != 4 }.reduce(into: [UInt64]()) {
      if $0.last != $1 { $0.append($1) }
    }
    #expect(turns == [1, 2, 3], "\(order)")
  }

  @Test func `a list with few photos for a host leaves the rest of the room to others`() {
    var admission = admission([1000, 1000, 2000], window: 1000)
    func next(_ admission: inout Admission) -> PhotoID? {
      admission.take(now: .zero, total: 20) { photo in
        Admission.Prospect(host: photo.list == ListID(1) && photo.number > 3 ? "b" : "a")
      }?.photo
    }
    admission.suspendDownloads(true, now: .zero)
    #expect(next(&admission) == nil)
    admission.suspendDownloads(false, now: .zero)
    var taken: [PhotoID] = []
    while let photo = next(&admission) { taken.append(photo) }
    #expect(taken.count == 6, "two of each user at each host: \(taken)")
    var running = taken.filter { !($0.list == ListID(1) && $0.number > 3) }
    var order = running
    for _ in 0..<12 {
      let photo = running.removeFirst()
      _ = admission.answered(photo, .answered, now: .zero, jitter: 0)
      admission.ended(photo, .filtered, now: .zero)
      while let photo = next(&admission) {
        running.append(photo)
        order.append(photo)
      }
    }
    #expect(order.count { $0.list == ListID(1) } == 3, "\(order)")
    #expect(order.count - 12 == 5, "a window of two gains one for each full one: \(running)")
  }

  @Test func `one slot in eight goes to the less urgent classes in turn`() {
    var admission = Admission(window: 1000)
    for (place, c) in [ServiceClass.userInteractive, .default, .background].enumerated() {
      admission.add(
        ListID(UInt64(place + 1)), ListLines(c, owner: 1000), isPaused: false, now: .zero)
    }
    let taken = (0..<64).compactMap { _ in take(&admission)?.list.number }
    #expect(taken.count { $0 == 1 } == 56)
    #expect(taken.count { $0 == 2 } >= 2 && taken.count { $0 == 3 } >= 2, "\(taken)")
  }

  /// A hundred users with up to forty lists each, in all classes; photos that end at once, late, or hardly ever.
  @Test(arguments: 1...(LongForm.number("LIVES") == nil ? 3 : 40 as UInt64))
  func `nobody of a hundred users starves, in any mix`(seed: UInt64) throws {
    var random = SimulatedRandom(seed: seed)
    let window = Int.random(in: 4...80, using: &random)
    var admission = Admission(window: window)
    var owners: [ListID: UInt32] = [:]
    var patience: [UInt32: Int] = [:]
    var classes: [ListID: ServiceClass] = [:]
    for owner in 1...100 as ClosedRange<UInt32> {
      patience[owner] = [1, 1, 1, 20, 500].randomElement(using: &random) ?? 1
      for _ in 0..<([1, 1, 2, 40].randomElement(using: &random) ?? 1) {
        let list = ListID(UInt64(owners.count + 1))
        let c = ServiceClass.allCases.randomElement(using: &random) ?? .default
        owners[list] = owner
        classes[list] = c
        admission.add(list, ListLines(c, owner: owner), isPaused: false, now: .zero)
      }
    }
    var running: [(photo: PhotoID, until: Int)] = []
    var last: [OwnerSeats.Share: Int] = [:]
    let shares = Set(
      owners.map { OwnerSeats.Share(owner: $0.value, serviceClass: classes[$0.key] ?? .default) })
    var turns = 0
    for step in 0..<120_000 {
      while running.count < window, let photo = take(&admission) {
        turns += 1
        let owner = try #require(owners[photo.list])
        let c = try #require(classes[photo.list])
        last[OwnerSeats.Share(owner: owner, serviceClass: c)] = turns
        let time = patience[owner] ?? 1
        running.append((photo, step + Int.random(in: 1...(2 * time), using: &random)))
      }
      running = running.filter { photo, until in
        if until > step { return true }
        admission.ended(photo, .filtered, now: .zero)
        return false
      }
    }
    // Every user in every class had a turn among the last ones: one slot in 64 is for the user of a less urgent
    // class whose turn was longest ago, or has the fewest photos in the window.
    let longest = 8 * 4 * 8 * 100
    for share in shares {
      #expect(turns - (last[share] ?? 0) <= longest, "\(share) of \(turns) turns")
    }
  }
}
