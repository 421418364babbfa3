// SPDX-License-Identifier: Apache-2.0
// A share: a range of a list's photos that one node has leased, and what the node reports of it.

package import Vocabulary

/// The number of a share's lease goes up with each lease: what an earlier holder reports is refused.
package struct ShareID: Hashable, Comparable, Sendable {
  package let list: LedgerList
  package let first: UInt32
  package let epoch: UInt32

  package init(list: LedgerList, first: UInt32, epoch: UInt32) {
    self.list = list
    self.first = first
    self.epoch = epoch
  }

  package static func < (a: ShareID, b: ShareID) -> Bool {
    (a.list, a.first, a.epoch) < (b.list, b.first, b.epoch)
  }
}

package struct Share: Equatable, Sendable {
  package let id: ShareID
  package let last: UInt32
  package let serviceClass: ServiceClass
  /// The photos that are recorded.
  package let done: PhotoMask
  /// The number of nodes that died while they held the share.
  package let deaths: UInt32
  /// A note from the node that held the share before, for the next node.
  package let waits: [UInt8]

  package init(
    _ id: ShareID, last: UInt32, serviceClass: ServiceClass, done: PhotoMask, deaths: UInt32 = 0,
    waits: [UInt8] = []
  ) {
    self.id = id
    self.last = last
    self.serviceClass = serviceClass
    self.done = done
    self.deaths = deaths
    self.waits = waits
  }

  package var photos: Int { Int(last - id.first) + 1 }
}

/// Some photos of a share, the first one the highest bit of the first byte.
package struct PhotoMask: Hashable, Sendable {
  package let count: Int
  package private(set) var bytes: [UInt8]

  package init(count: Int) {
    self.count = count
    bytes = [UInt8](repeating: 0, count: (count + 7) / 8)
  }

  /// Bits behind the last one are cleared.
  package init(_ bytes: [UInt8], count: Int) {
    self.init(count: count)
    for place in 0..<min(count, 8 * bytes.count)
    where bytes[place / 8] & (0x80 >> UInt8(place % 8)) != 0 {
      insert(place)
    }
  }

  package func contains(_ place: Int) -> Bool {
    place >= 0 && place < count && bytes[place / 8] & (0x80 >> UInt8(place % 8)) != 0
  }

  package mutating func insert(_ place: Int) {
    guard place >= 0, place < count else { return }
    bytes[place / 8] |= 0x80 >> UInt8(place % 8)
  }

  package mutating func formUnion(_ other: PhotoMask) {
    for place in 0..<min(bytes.count, other.bytes.count) { bytes[place] |= other.bytes[place] }
  }

  package func isDisjoint(with other: PhotoMask) -> Bool {
    zip(bytes, other.bytes).allSatisfy { $0 & $1 == 0 }
  }

  package var photos: Int { bytes.reduce(0) { $0 + $1.nonzeroBitCount } }
  package var isFull: Bool { photos == count }
}

/// The recorded end of a photo.
package struct Outcome: Equatable, Sendable {
  package let photo: UInt32
  package let isFiltered: Bool
  /// The row of its results, for the nodes alone.
  package let row: [UInt8]

  package init(photo: UInt32, isFiltered: Bool, row: [UInt8]) {
    self.photo = photo
    self.isFiltered = isFiltered
    self.row = row
  }
}

package struct ShareReport: Equatable, Sendable {
  package let share: ShareID
  /// The number of photos of the share.
  package let photos: Int
  /// 1 for the first report of a lease. A report that is repeated after a lost answer has the same number and the
  /// same outcomes. A report with the same number and other outcomes is refused.
  package let sequence: UInt32
  package let outcomes: [Outcome]
  /// All photos of the share are recorded with it.
  package let isLast: Bool

  package init(
    _ share: ShareID, photos: Int, sequence: UInt32, _ outcomes: [Outcome], isLast: Bool
  ) {
    self.share = share
    self.photos = photos
    self.sequence = sequence
    self.outcomes = outcomes
    self.isLast = isLast
  }

  package var mask: PhotoMask {
    var mask = PhotoMask(count: photos)
    for outcome in outcomes where outcome.photo >= share.first {
      mask.insert(Int(outcome.photo - share.first))
    }
    return mask
  }
}

/// Of a report.
package enum Verdict: UInt8, Sendable {
  /// Recorded, now or before a lost answer.
  case recorded = 0
  /// Recorded; the list is paused, or cancelled.
  case pause = 1
  case cancel = 2
  /// Nothing was recorded: the share is not this node's.
  case fenced = 3
}

/// Shares that viewers look at, and that a node wishes to lease.
package struct AheadWish: Equatable, Sendable {
  package let photos: Int
  /// Lists whose shares the node could not make, or whose photos there wait for servers that only other nodes reach.
  package let besides: [LedgerList]

  package init(photos: Int, besides: [LedgerList] = []) {
    (self.photos, self.besides) = (photos, besides)
  }
}

/// How much a node may take.
package struct LeaseWish: Equatable, Sendable {
  /// The most photos of a share.
  package static let mostPhotos = 4096
  /// The fewest photos of a share, except at the end of a list.
  package static let leastShare = 8
  /// The most `standing` lists of a user at the node, and the most of the largest shares in them. A user with more gets
  /// no share of their class or a less urgent one, so that other users do.
  package static let (mostListsOfUser, mostSharesOfUser) = (256, 16)

  /// A list whose photos at the node all wait for servers, or are enough.
  package struct Standing: Equatable, Sendable {
    package let list: LedgerList
    package let photos: Int

    package init(_ list: LedgerList, photos: Int) {
      self.list = list
      self.photos = photos
    }
  }

  /// The least number of photos; fewer near the end of a list, none if nothing waits.
  package let photos: Int
  /// The most photos of a share.
  package let largest: Int
  /// The least urgent class.
  package let leastClass: ServiceClass
  /// The least urgent list first, so that it is not put off without end.
  package let isReversed: Bool
  /// The lists whose photos the node has enough of.
  package let full: [LedgerList]
  package let standing: [Standing]

  package init(
    photos: Int, largest: Int = 256, upTo leastClass: ServiceClass = .background,
    isReversed: Bool = false, full: [LedgerList] = [], standing: [Standing] = []
  ) {
    self.photos = max(1, photos)
    self.leastClass = leastClass
    self.largest = max(1, min(largest, Self.mostPhotos))
    self.isReversed = isReversed
    self.full = full
    self.standing = standing
  }
}

package struct Turn: Equatable, Sendable {
  package let verdicts: [Verdict]
  package let shares: [Share]

  package init(verdicts: [Verdict], shares: [Share]) {
    self.verdicts = verdicts
    self.shares = shares
  }
}
