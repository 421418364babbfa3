// SPDX-License-Identifier: Apache-2.0
// The focus of viewers, in the model.

package import Cluster
import Vocabulary

struct FocusModel {
  let photos: [UInt32]
  let until: Duration
}

extension LedgerModel {
  package mutating func setFocus(_ wish: LedgerFocus) -> FocusAnswer {
    let number = wish.list
    guard let list = lists[number], list.state == .running || list.state == .paused else {
      return .notAtWork
    }
    focus[number] = focus[number]?.filter { $0.key != wish.viewer && $0.value.until > now }
    if wish.photos.isEmpty { return .set(left: 0) }
    let all = focus.values.joined().filter { $0.value.until > now }
    guard focus[number]?.count ?? 0 < LedgerFocus.mostOfList, all.count < LedgerFocus.mostViewers
    else { return .tooManyViewers }
    cut(Set(wish.photos).sorted(), of: number)
    let known = Set(wish.photos).sorted().filter {
      1...list.submission.photos ~= $0 && outcomes[number]?[$0] == nil
    }
    if !known.isEmpty {
      focus[number, default: [:]][wish.viewer] = FocusModel(photos: known, until: now + wish.time)
    }
    return .set(left: UInt32(known.count))
  }

  /// Those that no share has had become shares.
  private mutating func cut(_ photos: [UInt32], of number: LedgerList) {
    guard let list = lists[number], list.gaps.count < LedgerFocus.mostGaps else { return }
    let fresh = photos.filter { photo in
      photo >= list.next && photo <= list.submission.photos
        && !list.gaps.contains { $0.key <= photo && photo <= $0.value }
    }
    var pieces: [ClosedRange<UInt32>] = []
    for photo in fresh {
      if let last = pieces.last, last.upperBound + 1 == photo,
        last.count < LedgerFocus.largestShare
      {
        pieces[pieces.count - 1] = last.lowerBound...photo
      } else {
        pieces.append(photo...photo)
      }
    }
    let most = min(LedgerFocus.mostNew, max(0, LedgerFocus.mostCuts - list.cuts))
    pieces = Array(pieces.prefix(most))
    for piece in pieces {
      let before = lists[number]?.gaps.first { $0.value + 1 == piece.lowerBound }?.key
      lists[number]?.gaps[before ?? piece.lowerBound] = piece.upperBound
      parts[Place(list: number, first: piece.lowerBound)] = Part(
        last: piece.upperBound, epoch: 0, due: now, done: PhotoMask(count: piece.count))
    }
    lists[number]?.cuts += pieces.count
    let next = behindCuts(of: number, list.next)
    lists[number]?.next = next
  }

  package func focuses(on lists: [LedgerList]) -> [LedgerFocus] {
    Set(lists).sorted().flatMap { list in
      (focus[list] ?? [:]).filter { $0.value.until > now }
        .sorted { $0.key < $1.key }
        .map { viewer, focus in
          LedgerFocus(list, viewer: viewer, photos: focus.photos, time: focus.until - now)
        }
    }
  }

  package mutating func leaseAhead(
    _ wish: AheadWish, _ name: String, _ incarnation: Int
  ) -> [Share] {
    guard let node = node(name, incarnation), !node.isDraining else { return [] }
    var shares: [Share] = []
    while shares.reduce(0, { $0 + $1.photos }) < wish.photos, shares.count < 16,
      let place = aheadShare(of: shares.first?.id.list, besides: wish.besides)
    {
      shares.append(take(place, by: node))
    }
    return shares
  }

  /// By class, then by user, then by list.
  private func aheadShare(of only: LedgerList?, besides: [LedgerList]) -> Place? {
    var found: [(rank: (UInt8, UInt64), owner: [UInt8], place: Place)] = []
    for (number, views) in focus where only ?? number == number && !besides.contains(number) {
      guard let list = lists[number], list.state == .running, !isBehindEarlier(list) else {
        continue
      }
      let photos = views.values.filter { $0.until > now }.flatMap(\.photos)
      let ready = parts.filter { place, part in
        place.list == number && part.node == nil && part.due <= now
          && photos.contains { place.first <= $0 && $0 <= part.last }
      }.keys.min()
      let account = Account(serviceClass: list.serviceClass, owner: list.submission.owner)
      if let ready {
        found.append(
          ((list.serviceClass.rawValue, accounts[account] ?? 0), Array(account.owner.utf8), ready))
      }
    }
    return found.min { a, b in
      if a.rank != b.rank { return a.rank < b.rank }
      if a.owner != b.owner { return a.owner.lexicographicallyPrecedes(b.owner) }
      return a.place < b.place
    }?.place
  }
}
