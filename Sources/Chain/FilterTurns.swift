// SPDX-License-Identifier: Apache-2.0
// Decides which downloaded photo is filtered next. A worker serves one user at one nice level, and costs more to
// start than a small photo costs to filter: so a place at the filter stays with a user for a turn, while photos of
// others wait, unless another user has fewer places. The most urgent class goes first, and within a class the user
// with the fewest places; equal users take turns. Photos that are more urgent than one at the filter have a place
// besides: they would wait for the end of a large picture. A plain value.

import Vocabulary

struct FilterTurns<Waiter: Hashable & Sendable>: Sendable {
  typealias Share = OwnerSeats.Share

  /// One of the places, free or not.
  private struct Place {
    /// Of its last waiter, whose worker is probably still there.
    var share: Share
    /// The end of the share's turn.
    var until: Duration
    var waiter: Waiter?
  }

  /// The time that a place stays with a user; a worker's start takes about a twentieth of it.
  private let turn: Duration
  /// As many as the filter stage is wide.
  var width: Int
  /// Places besides.
  var urgent: Int
  private var places: [Place] = []
  /// By class.
  private var lines = [OwnerTurns<Waiter>](
    repeating: OwnerTurns(), count: ServiceClass.allCases.count)
  private var shares: [Waiter: Share] = [:]

  init(width: Int, urgent: Int = 0, turn: Duration = .milliseconds(100)) {
    self.width = width
    self.urgent = urgent
    self.turn = turn
  }

  mutating func wait(_ waiter: Waiter, _ share: Share) {
    shares[waiter] = share
    lines[line(share)].append(waiter, of: share.owner)
  }

  /// The waiter needs no place, or no longer. Harmless for one that has never waited.
  mutating func leave(_ waiter: Waiter) {
    guard let share = shares.removeValue(forKey: waiter) else { return }
    if let place = places.firstIndex(where: { $0.waiter == waiter }) {
      places[place].waiter = nil
      if places.count > width { places.remove(at: place) }
    } else {
      lines[line(share)].remove(waiter, of: share.owner)
    }
  }

  /// Gives a free place to the next waiter; nil if there is none.
  mutating func next(now: Duration) -> Waiter? {
    guard let line = lines.firstIndex(where: { !$0.isEmpty }), hasPlace(line) else { return nil }
    guard let poorest = poorest(line) else { return nil }
    let kept = places.firstIndex {
      $0.waiter == nil && self.line($0.share) == line && now < $0.until
        && lines[line].first(of: $0.share.owner) != nil && taken($0.share) <= taken(poorest)
    }
    let share = kept.map { places[$0].share } ?? poorest
    guard let waiter = lines[line].first(of: share.owner)
    else { return nil }
    lines[line].remove(waiter, of: share.owner)
    if let kept {
      places[kept].waiter = waiter
    } else {
      lines[line].moveBack(share.owner)
      take(Place(share: share, until: now + turn, waiter: waiter))
    }
    return waiter
  }

  private func hasPlace(_ line: Int) -> Bool {
    let taken = places.filter { $0.waiter != nil }
    if taken.count < width { return true }
    return taken.count < width + urgent && taken.contains { self.line($0.share) > line }
  }

  private func poorest(_ line: Int) -> Share? {
    let shares = lines[line].owners.map {
      Share(owner: $0, serviceClass: ServiceClass.allCases[line])
    }
    // Of equal owners `min` chooses the first.
    return shares.min { taken($0) < taken($1) }
  }

  private func taken(_ share: Share) -> Int {
    places.count { $0.waiter != nil && $0.share == share }
  }

  /// A place whose last waiter was of the same share, if one is free; its worker needs no start.
  private mutating func take(_ new: Place) {
    let free = places.indices.filter { places[$0].waiter == nil }
    if let place = free.first(where: { places[$0].share == new.share }) {
      places[place] = new
    } else if places.count >= width,
      let place = free.min(by: { places[$0].until < places[$1].until })
    {
      places[place] = new
    } else {
      places.append(new)
    }
  }

  private func line(_ share: Share) -> Int { Int(share.serviceClass.rawValue) }
}
