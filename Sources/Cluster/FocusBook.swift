// SPDX-License-Identifier: Apache-2.0
// The focus of viewers, as far as it is known here, and the lists here that were told. A value: bells and answers of
// the ledger in, deeds out; raises nothing.

package import Vocabulary

package struct FocusBook: Sendable {
  private struct View: Sendable {
    let photos: Set<UInt32>
    let until: Duration

    /// Two answers about one focus have its end at slightly different times.
    func isAbout(_ other: View) -> Bool {
      photos == other.photos && abs((until - other.until).milliseconds) < 1000
    }
  }

  package enum Deed: Equatable, Sendable {
    /// These photos, by their numbers in the whole list, go first in the list of this node.
    case set(ListID, viewer: OutsideText, Set<UInt32>, until: Duration)
    case end(ListID, viewer: OutsideText)
  }

  /// Lists that a bell named.
  private var rung: Set<LedgerList> = []
  /// Lists whose viewers were asked for. Bells name those that change.
  private var known: Set<LedgerList> = []
  private var views: [LedgerList: [OutsideText: View]] = [:]
  /// The focus of each viewer that a list of this node has.
  private var told: [ListID: [OutsideText: View]] = [:]

  package init() {}

  package mutating func rung(_ list: LedgerList) { rung.insert(list) }

  /// Bells may have been lost.
  package mutating func lost() { known = [] }

  /// Takes the lists about whose viewers the ledger is to be asked. A bell that comes later causes another question.
  package mutating func takeQuestions(
    _ holdings: some Sequence<LeaseBook.Holding>
  ) -> Set<LedgerList> {
    let held = Set(holdings.map(\.mark.id.list))
    known.formIntersection(held.subtracting(rung))
    rung = []
    return held.subtracting(known)
  }

  /// - Parameter asked: when the question was sent.
  package mutating func answered(
    _ lists: Set<LedgerList>, _ focuses: [LedgerFocus], asked: Duration
  ) {
    known.formUnion(lists)
    for list in lists { views[list] = nil }
    for focus in focuses {
      views[focus.list, default: [:]][focus.viewer] = View(
        photos: Set(focus.photos), until: asked + focus.time)
    }
  }

  /// The deeds for the lists of the shares. A list that cannot take its deed yet is named again.
  package mutating func deeds(_ holdings: [LeaseBook.Holding], at now: Duration) -> [Deed] {
    views = views.compactMapValues { views in
      let left = views.filter { $0.value.until > now }
      return left.isEmpty ? nil : left
    }
    let held = holdings.filter { !$0.isCancelled }
    let lists = Set(held.compactMap(\.list))
    told = told.filter { lists.contains($0.key) }
    return held.sorted { $0.mark.id < $1.mark.id }.flatMap { holding in
      holding.list.map { deeds(holding.mark, $0, at: now) } ?? []
    }
  }

  private mutating func deeds(_ mark: ShareMark, _ list: ListID, at now: Duration) -> [Deed] {
    let views = views[mark.id.list] ?? [:]
    var deeds: [Deed] = []
    for (viewer, view) in (told[list] ?? [:]).sorted(by: { $0.key < $1.key })
    where views[viewer] == nil {
      told[list]?[viewer] = nil
      if view.until > now { deeds.append(.end(list, viewer: viewer)) }
    }
    let last = mark.id.first + UInt32(mark.photos) - 1
    for (viewer, view) in views.sorted(by: { $0.key < $1.key }) {
      let own = View(
        photos: view.photos.filter { mark.id.first...last ~= $0 }, until: view.until)
      let old = told[list]?[viewer]
      if own.photos.isEmpty {
        // The viewer may have looked at some of its photos before.
        if old != nil { deeds.append(.end(list, viewer: viewer)) }
      } else if old?.isAbout(own) != true {
        deeds.append(.set(list, viewer: viewer, own.photos, until: own.until))
      }
    }
    return deeds
  }

  /// The list was told.
  package mutating func did(_ deed: Deed) {
    switch deed {
    case .set(let list, let viewer, let photos, let until):
      told[list, default: [:]][viewer] = View(photos: photos, until: until)
    case .end(let list, let viewer): told[list]?[viewer] = nil
    }
  }
}
