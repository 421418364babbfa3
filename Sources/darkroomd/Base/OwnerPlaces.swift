// SPDX-License-Identifier: Apache-2.0
// The places at a work that all users share, and whose turn it is. The owner whose turn was longest ago is next, and a
// quarter of the places is kept for owners without one, so that the long work of one user leaves room. Photos
// have their own turns in Chain (`OwnerTurns`, `LineTurns`), and dropped files in Accept (`ClaimQueue`). A plain value.

struct OwnerPlaces: Sendable {
  let most: Int
  private var taken = 0
  /// How many each owner has.
  private var shares: [UInt32: Int] = [:]
  /// The number of the last turn of each owner.
  private var turns: [UInt32: UInt64] = [:]
  private var lastTurn: UInt64 = 0

  init(most: Int) { self.most = most }

  private var kept: Int { most / 4 }

  var isEmpty: Bool { taken == 0 }

  /// A place is free that the owner may have.
  func hasRoom(for owner: UInt32) -> Bool {
    taken < most - kept || taken < most && shares[owner] == nil
  }

  /// The owner with the lowest number is next; 0 before the first turn.
  func turn(of owner: UInt32) -> UInt64 { turns[owner] ?? 0 }

  mutating func take(for owner: UInt32) {
    taken += 1
    shares[owner, default: 0] += 1
    lastTurn += 1
    turns[owner] = lastTurn
  }

  mutating func leave(by owner: UInt32) {
    taken -= 1
    let share = shares[owner, default: 1] - 1
    shares[owner] = share > 0 ? share : nil
  }
}
