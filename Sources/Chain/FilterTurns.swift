// SPDX-License-Identifier: Apache-2.0
// Decides which downloaded photo is filtered next. A user with fewer places at the filter goes before one with more,
// whatever their classes, so that no user waits for the endless work of another user. Among users with equally few
// places, the user with the most urgent class goes first, except in one turn of eight. Users with the same class take
// turns. The class orders the photos of one user (`FilterLine`), and a focus counts there alone.
// A worker serves one user at one nice level, and costs more to start than a small photo costs to filter: so a place
// stays with a user for a turn, unless another user has fewer places or a more urgent class. There are extra places,
// because a large picture may keep its place for long. An extra place is for a photo that is more urgent than a photo
// at the filter, or for a user without a place while another user has several. A plain value.

import Queues
import Vocabulary

struct FilterTurns<Waiter: Hashable & Sendable>: Sendable {
  /// One of the places, free or not.
  private struct Place {
    /// The claim of the place's last waiter, whose worker is probably still there.
    var claim: FilterClaim
    /// The end of the owner's turn.
    let until: Duration
    /// This turn of a less urgent class went first, so users of a more urgent class do not end it.
    let isForOthers: Bool
    var waiter: Waiter?
  }

  /// The time that a place stays with a user; a worker's start takes about a twentieth of it.
  private let turn: Duration
  /// The number of ordinary places: the width of the filter stage.
  var width: Int
  /// The number of extra places.
  var urgent: Int
  private var places: [Place] = []
  /// Owners with waiting photos; the one whose turn was longest ago is first.
  private var owners: [UInt32] = []
  private var lines: [UInt32: FilterLine<Waiter>] = [:]
  private var claims: [Waiter: FilterClaim] = [:]
  /// Between owners.
  private var ranks = ClassTurns()

  init(width: Int, urgent: Int = 0, turn: Duration = .milliseconds(100)) {
    self.width = width
    self.urgent = urgent
    self.turn = turn
  }

  mutating func wait(_ waiter: Waiter, _ claim: FilterClaim) {
    claims[waiter] = claim
    if lines[claim.owner] == nil { owners.append(claim.owner) }
    lines[claim.owner, default: FilterLine()].append(waiter, claim)
  }

  /// The waiter does not need a place, or no longer needs one. A call for a waiter that never waited changes nothing.
  mutating func leave(_ waiter: Waiter) {
    guard let claim = claims.removeValue(forKey: waiter) else { return }
    if let place = places.firstIndex(where: { $0.waiter == waiter }) {
      places[place].waiter = nil
      if places.count > width { places.remove(at: place) }
    } else {
      lines[claim.owner]?.remove(waiter, claim)
      tidy(claim.owner)
    }
  }

  private mutating func tidy(_ owner: UInt32) {
    guard lines[owner]?.isEmpty == true else { return }
    lines[owner] = nil
    owners.removeAll { $0 == owner }
  }

  /// Gives a free place to the next waiter; nil if there is none.
  mutating func next(now: Duration) -> Waiter? {
    let held = held()
    let taken = held.values.reduce(0, +)
    let isBesides = taken >= width
    let poorest = isBesides ? besides(taken, held) : poorest(of: owners, held)
    let waiting = ServiceClass.allCases.filter { rank in
      poorest.contains { lines[$0]?.rank == rank }
    }
    guard let first = waiting.first, let rank = ranks.next(of: waiting) else { return nil }
    let kept = places.firstIndex { place in
      place.waiter == nil && now < place.until && poorest.contains(place.claim.owner)
        && (place.isForOthers || lines[place.claim.owner]?.rank == first)
    }
    let owner = kept.map { places[$0].claim.owner } ?? poorest.first { lines[$0]?.rank == rank }
    guard let owner, let waiter = photo(of: owner, isBesides, held), let claim = claims[waiter]
    else { return nil }
    if let kept {
      places[kept].waiter = waiter
      places[kept].claim = claim
    } else {
      ranks.gave(rank, of: waiting)
      moveBack(owner)
      take(Place(claim: claim, until: now + turn, isForOthers: rank != first, waiter: waiter))
    }
    lines[owner]?.give(waiter, claim)
    tidy(owner)
    return waiter
  }

  /// How many places each owner has.
  private func held() -> [UInt32: Int] {
    var held: [UInt32: Int] = [:]
    for place in places where place.waiter != nil { held[place.claim.owner, default: 0] += 1 }
    return held
  }

  private func poorest(of owners: [UInt32], _ held: [UInt32: Int]) -> [UInt32] {
    let fewest = owners.map { held[$0] ?? 0 }.min()
    return owners.filter { held[$0] ?? 0 == fewest }
  }

  /// The owners who may have an extra place. While an owner without a place waits, an owner with places gets none.
  private func besides(_ taken: Int, _ held: [UInt32: Int]) -> [UInt32] {
    guard taken < width + urgent else { return [] }
    let meant = poorest(of: owners.filter { isLeftOut($0, held) || isUrgent($0) }, held)
    let isLast = owners.contains { held[$0] == nil } && !meant.contains { held[$0] == nil }
    return isLast ? [] : meant
  }

  private func isLeftOut(_ owner: UInt32, _ held: [UInt32: Int]) -> Bool {
    held[owner] == nil && held.values.contains { $0 > 1 }
  }

  /// A photo of the owner is more urgent than one at the filter.
  private func isUrgent(_ owner: UInt32) -> Bool {
    guard let claim = lines[owner]?.mostUrgent.flatMap({ claims[$0] }) else { return false }
    return places.contains { place in
      guard place.waiter != nil else { return false }
      return place.claim.owner == owner
        ? claim.serviceClass < place.claim.serviceClass : claim.rank < place.claim.rank
    }
  }

  private func photo(of owner: UInt32, _ isBesides: Bool, _ held: [UInt32: Int]) -> Waiter? {
    // A less urgent photo would take the extra place from the urgent photos.
    if isBesides, held[owner] != nil { return lines[owner]?.mostUrgent }
    return lines[owner]?.next { serviceClass in
      places.contains {
        $0.waiter != nil && $0.claim.owner == owner && $0.claim.serviceClass == serviceClass
      }
    }
  }

  private mutating func moveBack(_ owner: UInt32) {
    guard let place = owners.firstIndex(of: owner) else { return }
    owners.append(owners.remove(at: place))
  }

  /// Prefers a free place whose last waiter was of the same owner, because the owner's worker may still run there.
  private mutating func take(_ new: Place) {
    let free = places.indices.filter { places[$0].waiter == nil }
    if let place = free.first(where: { places[$0].claim.owner == new.claim.owner }) {
      places[place] = new
    } else if places.count >= width,
      let place = free.min(by: { places[$0].until < places[$1].until })
    {
      places[place] = new
    } else {
      places.append(new)
    }
  }
}
