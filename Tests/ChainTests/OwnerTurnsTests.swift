// SPDX-License-Identifier: Apache-2.0
// The turns of an owner's elements, by themselves and at a host.

import Testing
import Vocabulary

@testable import Chain

@Suite struct OwnerTurnsTests {
  private let owner: UInt32 = 1000
  private let reset = Failure(.passing, code: "connect.reset", reason: "the connection was reset")

  private func turns(_ elements: ClosedRange<Int>) -> OwnerTurns<Int> {
    var turns = OwnerTurns<Int>()
    for element in elements { turns.append(element, of: owner) }
    return turns
  }

  /// Each photo is taken and given at once.
  private func given(
    _ turns: inout OwnerTurns<Int>, _ count: Int, every pause: Duration = .zero,
    from start: Duration = .zero
  ) -> [Int] {
    (0..<count).compactMap { step in
      guard let (element, owner) = turns.next() else { return nil }
      turns.gave(element, of: owner, now: start + pause * step)
      return element
    }
  }

  @Test func `each element has a turn before one has two`() {
    var turns = turns(1...40)
    let order = given(&turns, 40 * ListTurn.photos)
    #expect(order == (1...40).flatMap { [Int](repeating: $0, count: ListTurn.photos) })
  }

  @Test func `a turn is short in time`() {
    var turns = turns(1...3)
    #expect(given(&turns, 7, every: .milliseconds(60)) == [1, 1, 1, 2, 2, 2, 3])
    #expect(given(&turns, 6, every: .seconds(1), from: .seconds(9)) == [3, 1, 1, 2, 2, 3])
  }

  @Test func `an element that comes back has a new turn`() {
    for isKnown in [true, false] {
      var turns = turns(1...2)
      #expect(given(&turns, 15) == [Int](repeating: 1, count: 15))
      if isKnown { turns.remove(1, of: owner) } else { turns.remove(1) }
      turns.append(1, of: owner)
      #expect(given(&turns, 33).count { $0 == 1 } == 16)
    }
  }

  /// Two places at a host become free together again and again.
  @Test func `of several turns the oldest goes on first`() {
    var turns = turns(1...4)
    var order: [Int] = []
    for _ in 0..<18 {
      let two = [turns.next(), turns.next()].compactMap { $0?.element }
      for element in two { turns.gave(element, of: owner, now: .zero) }
      order += two
    }
    #expect(order.prefix(32) == ArraySlice((0..<32).map { $0 % 2 + 1 }))
    #expect(order.suffix(4) == [3, 4, 3, 4])
    // From here one at a time: the turn that began first ends first.
    #expect(given(&turns, 15) == [Int](repeating: 3, count: 14) + [4])
  }

  @Test func `an element whose photos fail has turns of one photo, until one succeeds`() {
    var turns = turns(1...2)
    #expect(given(&turns, 3) == [1, 1, 1])
    turns.failed(1)
    #expect(given(&turns, 17) == [Int](repeating: 2, count: 16) + [1])
    turns.failed(1)
    #expect(given(&turns, 17) == [Int](repeating: 2, count: 16) + [1])
    turns.succeeded(1)
    #expect(given(&turns, 33).count { $0 == 1 } == 16)
  }

  @Test func `a failure moves no element that waits for its turn`() {
    var turns = turns(1...3)
    #expect(given(&turns, 2) == [1, 1])
    turns.failed(2)
    #expect(given(&turns, 16) == [Int](repeating: 1, count: 14) + [2, 3])
  }

  @Test func `what is removed has failed no more`() {
    var turns = turns(1...2)
    turns.failed(1)
    turns.remove(1)
    turns.append(1, of: owner)
    #expect(given(&turns, 32).suffix(16) == ArraySlice(repeating: 1, count: 16))
  }

  @Test func `all elements of an owner are taken in their order, and keep their turns`() {
    var turns = turns(1...3)
    #expect(given(&turns, 2) == [1, 1])
    turns.append(9, of: 1001)
    let taken = turns.takeAll(of: owner)
    #expect(taken == [1, 2, 3] && turns.owners == [1001])
    #expect(turns.takeAll(of: owner).isEmpty)
    turns.remove(9)
    for element in taken { turns.append(element, of: owner) }
    #expect(given(&turns, 15) == [Int](repeating: 1, count: 14) + [2])
  }

  // MARK: at a host

  /// Lists of one user with as many photos as they like for one host; the photos of `bad` fail. Returns the lists of the
  /// photos that went to the host while it was closed, and how often it closed.
  private func probes(_ lists: ClosedRange<UInt64>, bad: ClosedRange<UInt64>, photos: Int)
    -> (lists: [UInt64], closures: Int)
  {
    var admission = Admission(window: 1000)
    for list in lists {
      admission.add(
        ListID(list), ListLines(.default, owner: owner), isPaused: false, now: .zero)
    }
    var (now, probes, closures, given) = (Duration.zero, [UInt64](), 0, 0)
    while given < photos {
      var running: [PhotoID] = []
      while let photo = admission.take(
        now: now, total: 100_000, prospect: { _ in Admission.Prospect(host: "a") })?.photo
      {
        running.append(photo)
      }
      given += running.count
      let wasClosed = admission.hosts.closure(of: "a", for: owner) != nil
      if wasClosed { probes += running.map(\.list.number) }
      if running.isEmpty {
        guard let due = admission.nextDue, due > now else { break }
        now = due
      }
      for photo in running {
        let isBad = bad.contains(photo.list.number)
        _ = admission.answered(photo, isBad ? .failed(reset) : .answered, now: now, jitter: 1)
        admission.ended(photo, .failed, now: now)
      }
      if !wasClosed, admission.hosts.closure(of: "a", for: owner) != nil { closures += 1 }
    }
    return (probes, closures)
  }

  @Test func `a probe that fails is the last of its list until the others have tried`() throws {
    let (lists, _) = probes(1...4, bad: 1...3, photos: 40)
    #expect(lists.prefix(4).firstIndex(of: 4) != nil, "\(lists)")
    #expect(Set(lists.prefix(3)).count == 3, "\(lists)")
  }

  @Test func `a list whose photos fail seldom closes the host to the other lists of its user`() {
    #expect(probes(1...5, bad: 1...1, photos: 1000).closures <= 3)
  }
}
