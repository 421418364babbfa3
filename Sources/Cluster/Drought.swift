// SPDX-License-Identifier: Apache-2.0
// The classes without photos in the ledger when this node asked last: a wish is not repeated before that can have
// changed. A plain value.

internal import Vocabulary

struct Drought: Sendable {
  private struct Refusal: Sendable {
    var full: Set<LedgerList> = []
    var lists = 0
    var photos = 0
    var refusesUsers = false

    init() {}

    init(_ wish: LeaseWish) {
      full = Set(wish.full)
      lists = wish.standing.count
      // Counted in parts of a share, because the sizes of shares differ.
      photos = wish.standing.reduce(0) { $0 + $1.photos } * LeaseWish.mostPhotos / wish.largest
      refusesUsers =
        lists >= LeaseWish.mostListsOfUser
        || photos >= LeaseWish.mostSharesOfUser * LeaseWish.mostPhotos
    }

    /// True if the other refusal covers at least as much.
    func isWithin(_ other: Refusal) -> Bool {
      full.isSubset(of: other.full)
        && (!refusesUsers || (lists <= other.lists && photos <= other.photos))
    }
  }

  /// No photo of the class, or of a more urgent one, waited for a node with this refusal.
  private var refusals: [ServiceClass: Refusal] = [:]

  /// Nothing waits.
  static var whole: Drought {
    var drought = Drought()
    for serviceClass in ServiceClass.allCases { drought.refusals[serviceClass] = Refusal() }
    return drought
  }

  mutating func learn(_ serviceClasses: [ServiceClass], from wish: LeaseWish) {
    let refusal = Refusal(wish)
    for serviceClass in serviceClasses {
      let known = refusals[serviceClass]
      if let known, !known.refusesUsers, !refusal.refusesUsers {
        // Photos may wait only in lists that both wishes refused.
        refusals[serviceClass]?.full = known.full.intersection(refusal.full)
      } else if known?.isWithin(refusal) != true {
        refusals[serviceClass] = refusal
      }
    }
  }

  mutating func end(of serviceClass: ServiceClass) {
    refusals = refusals.filter { $0.key < serviceClass }
  }

  /// A wish that refuses less may be granted.
  func covers(_ wish: LeaseWish) -> Bool {
    refusals[wish.leastClass]?.isWithin(Refusal(wish)) ?? false
  }
}
