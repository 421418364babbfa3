// SPDX-License-Identifier: Apache-2.0
// Decides which line gives the next photo: the most urgent class first; within a class the owner with the fewest
// photos in the window, so that a new one catches up; the lines of one owner in turns of several photos. One slot in
// eight goes to the less urgent classes in turn, and one to the owner whose turn was longest ago, so that nothing
// starves. A plain value.

import Queues
import Vocabulary

struct LineTurns: Sendable {
  /// After this many photos of other lines in a row, a line lets the other lines go first.
  private static let longestSearch = 64

  struct Turn: Sendable {
    let key: LineKey
    let share: OwnerSeats.Share

    fileprivate var place: Int { Int(share.serviceClass.rawValue) }
  }

  /// Lines that may have a photo to give, by class. A line without one leaves, so that thousands of such lines cost
  /// no look when a photo ends.
  private var lines = [OwnerTurns<LineKey>](
    repeating: OwnerTurns(), count: ServiceClass.allCases.count)
  private var present: Set<LineKey> = []
  private var given = 0
  private var passed = 0
  /// The number of looks at lines, for tests.
  private(set) var looks = 0
  /// How often a line has entered.
  private(set) var entries = 0

  /// The classes, in the current order.
  var order: [ServiceClass] {
    let all = ServiceClass.allCases
    guard given % ClassTurns.cycle == ClassTurns.cycle - 1 else { return all }
    // The other classes come first in turn, beginning with the least urgent class.
    let others = Array(all.dropFirst().reversed())
    let start = given / ClassTurns.cycle % others.count
    return Array(others[start...] + others[..<start] + all.prefix(1))
  }

  /// The line of this class whose turn it is, of the owners for whom there is room.
  mutating func first(
    _ serviceClass: ServiceClass, _ seats: OwnerSeats, _ room: WindowRoom
  ) -> Turn? {
    let turns = lines[Int(serviceClass.rawValue)]
    let owners =
      room.isForAll
      ? turns.owners : turns.owners.filter { room.isFor(ownerWith: seats.count(of: $0)) }
    func share(_ owner: UInt32) -> OwnerSeats.Share {
      OwnerSeats.Share(owner: owner, serviceClass: serviceClass)
    }
    // Of equal owners `min` chooses the first.
    let owner =
      given % ClassTurns.cycle == 3
      ? owners.first
      : owners.min { seats.count(share($0)) < seats.count(share($1)) }
    guard let owner, let key = turns.first(of: owner) else { return nil }
    looks += 1
    return Turn(key: key, share: share(owner))
  }

  mutating func enter(_ key: LineKey, _ serviceClass: ServiceClass, of owner: UInt32) {
    guard present.insert(key).inserted else { return }
    entries += 1
    lines[Int(serviceClass.rawValue)].append(key, of: owner)
  }

  /// The line leaves the turns of its class.
  mutating func remove(_ key: LineKey, _ serviceClass: ServiceClass, of owner: UInt32) {
    guard present.remove(key) != nil else { return }
    lines[Int(serviceClass.rawValue)].remove(key, of: owner)
  }

  /// The line has given a photo.
  mutating func gave(_ turn: Turn, now: Duration) {
    given += 1
    lines[turn.place].gave(turn.key, of: turn.share.owner, now: now)
    lines[turn.place].moveBack(turn.share.owner)
  }

  /// The line has nothing to give.
  mutating func leave(_ turn: Turn) {
    remove(turn.key, turn.share.serviceClass, of: turn.share.owner)
  }

  mutating func found() { passed = 0 }
  mutating func pass() { passed += 1 }

  /// A line that finds only photos of other lines moves behind the rest of its class.
  mutating func yieldLongSearch(_ turn: Turn) {
    guard passed >= Self.longestSearch else { return }
    passed = 0
    lines[turn.place].rotate(turn.share.owner)
  }
}
