// SPDX-License-Identifier: Apache-2.0
// Answers `Focus` and `Unfocus`: the photos that a viewer names go first within the share of the list's owner.
// Only the owner and root may change that order: it delays the owner's other photos. The focus is in memory
// only; the ledger has the focus on a list that nodes share. Raises `ControlError`.
// Concurrency: immutable; the catalog is read in the user's turn.

import Catalog
import Chain
import Cluster
import Linux
import Record
import Steer
import Vocabulary

struct FocusCalls {
  let views: Views
  /// Nil for a machine that works alone.
  let cluster: ClusterNode?

  /// `list` is one that the caller may change.
  func focus(
    _ order: FocusOrder, on list: ListID, by user: UInt32
  ) async throws(ControlError) -> FocusReport {
    try refuseOver(list)
    let numbers = try await views.scans.run(of: user) { () throws(ControlError) in
      try named(by: order, in: list)
    }
    if isEntry(list) {
      let left = try await share(order.viewer, order.seconds, numbers, of: list, by: user)
      return report(order, try views.summary(list), photos: numbers.count, left: left)
    }
    let left = views.recorder.ledger { ledger in
      numbers.filter { ledger.state(of: PhotoID(list: list, number: $0)).isUnfinished }
    }
    let time = Duration.seconds(Int64(order.seconds))
    let viewer = FocusBoard.Viewer(
      list, user: user, name: OutsideText(checked: order.viewer))
    if left.isEmpty {
      _ = views.chains.unfocus(viewer)
    } else {
      do throws(Failure) {
        try views.chains.focus(viewer, on: left, for: time)
      } catch { throw .notPossible(why: error.reason) }
    }
    return report(
      order, try views.summary(list), photos: numbers.count, left: UInt32(left.count))
  }

  func unfocus(
    _ list: ListID, viewer name: String, by user: UInt32
  ) async throws(ControlError) -> FocusReport {
    if isEntry(list) {
      try await end(name, of: list, by: user)
    } else {
      _ = views.chains.unfocus(
        FocusBoard.Viewer(list, user: user, name: OutsideText(checked: name)))
    }
    return FocusReport(list: try views.summary(list))
  }

  private func report(
    _ order: FocusOrder, _ list: ListSummary, photos: Int, left: UInt32
  ) -> FocusReport {
    FocusReport(
      list: list, photos: UInt32(photos), left: left,
      until: views.clock.wallTime() + UInt64(order.seconds) * 1000)
  }

  // MARK: nodes

  /// For a list that was dropped at another node.
  func focus(
    _ order: FocusOrder, at cluster: ClusterNode, by peer: ControlPeer, or missing: ControlError
  ) async throws(ControlError) -> FocusReport {
    let lists = ForeignLists(office: cluster.office)
    let list = try await lists.changeable(order.list, peer, or: missing)
    if order.photos.isEmpty {
      throw .notPossible(
        why: "the list was dropped at another node, which knows what is not done: name photos")
    }
    let numbers = try PhotoWords(count: list.photos).numbers(
      order.photos, most: FocusBoard.mostPhotos)
    let left = try await ask(cluster, order.viewer, order.seconds, numbers, list.list, peer.user)
    return report(order, try lists.summary(list), photos: numbers.count, left: left)
  }

  func unfocus(
    _ order: UnfocusOrder, at cluster: ClusterNode, by peer: ControlPeer, or missing: ControlError
  ) async throws(ControlError) -> FocusReport {
    let lists = ForeignLists(office: cluster.office)
    let list = try await lists.changeable(order.list, peer, or: missing)
    _ = try await ask(cluster, order.viewer, 0, [], list.list, peer.user)
    return FocusReport(list: try lists.summary(list))
  }

  private func isEntry(_ list: ListID) -> Bool { views.index[list]?.terms.isEntry == true }

  /// Returns how many of the photos are not recorded.
  private func share(
    _ viewer: String, _ seconds: UInt32, _ photos: [UInt32], of list: ListID, by user: UInt32
  ) async throws(ControlError) -> UInt32 {
    guard let cluster else {
      throw .notPossible(why: "it is a list of a cluster, and Ledger= is not set")
    }
    let number = try await LedgerAnswer.of { () async throws(Failure) in
      try await cluster.entries.number(of: list)
    }
    return try await ask(cluster, viewer, seconds, photos, number, user)
  }

  private func end(
    _ viewer: String, of list: ListID, by user: UInt32
  ) async throws(ControlError) {
    // Without a number, the ledger does not have the list.
    guard let cluster, let number = views.index[list]?.terms.ledger else { return }
    _ = try await ask(cluster, viewer, 0, [], number, user)
  }

  private func ask(
    _ cluster: ClusterNode, _ viewer: String, _ seconds: UInt32, _ photos: [UInt32],
    _ list: LedgerList, _ user: UInt32
  ) async throws(ControlError) -> UInt32 {
    let answer = try await LedgerAnswer.of { () async throws(Failure) in
      try await cluster.office.focus(
        LedgerFocus(
          list, viewer: LedgerViewer.text(user: user, name: viewer), photos: photos,
          time: .seconds(Int64(seconds))))
    }
    switch answer {
    case .set(let left): return left
    case .notAtWork where photos.isEmpty: return 0
    case .notAtWork: throw .notPossible(why: OpenList.over.reason)
    case .tooManyViewers: throw .notPossible(why: FocusBoard.tooManyViewers.reason)
    }
  }

  private func refuseOver(_ list: ListID) throws(ControlError) {
    if views.recorder.ledger({ $0[list]?.state.isFinal }) == false { return }
    throw .notPossible(why: OpenList.over.reason)
  }

  private func named(
    by order: FocusOrder, in list: ListID
  ) throws(ControlError) -> [UInt32] {
    if order.photos.isEmpty { return first(of: list) }
    return try views.named(in: list).numbers(order.photos, most: FocusBoard.mostPhotos)
  }

  /// The first photos that are not done.
  private func first(of list: ListID) -> [UInt32] {
    views.recorder.ledger { ledger in
      var numbers: [UInt32] = []
      while numbers.count < FocusBoard.mostPhotos,
        let next = ledger[list]?.nextUnfinished(after: numbers.last ?? 0)
      {
        numbers.append(next)
      }
      return numbers
    }
  }
}
