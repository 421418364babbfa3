// SPDX-License-Identifier: Apache-2.0
// Steers lists that were dropped at other nodes, by their names, and tells where they were dropped. Raises
// `ControlError`.
// Concurrency: immutable.

import Cluster
import Steer
import Vocabulary

struct ForeignLists: Sendable {
  let office: any ListOffice

  private static let page = 1000

  /// The list with work left that is meant; raises `missing` if there is none.
  func change(
    _ reference: ListReference, _ ask: ListLife.Ask, _ peer: ControlPeer, or missing: ControlError
  ) async throws(ControlError) -> ListSummary {
    let list = try await changeable(reference, peer, or: missing)
    let now = try await LedgerAnswer.of { () async throws(Failure) in
      _ = try await office.order(ListOrder(ask), of: list.list, from: nil)
      return try await office.progress(of: list.list)
    }
    return try summary(now ?? list)
  }

  /// The list with work left that is meant, if the caller may change it; raises `missing` if there is none.
  func changeable(
    _ reference: ListReference, _ peer: ControlPeer, or missing: ControlError
  ) async throws(ControlError) -> ListProgress {
    // Numbers belong to lists of this node.
    guard reference.number == nil else { throw missing }
    let list = try choose(reference, peer, try await open(), or: missing)
    guard let owner = UInt32(list.owner), peer.mayChange(listOf: owner) else {
      throw .permissionDenied(
        why: "list '\(list.title)' belongs to another user; only its owner or root can change it")
    }
    return list
  }

  func summary(_ list: ListProgress) throws(ControlError) -> ListSummary {
    guard let owner = UInt32(list.owner) else {
      throw .notPossible(why: "the ledger knows no owner of list '\(list.title)'")
    }
    return ListSummary(list, owner)
  }

  /// The node where the caller's newest list of that name was dropped; for root, anybody's.
  func home(of name: String, _ peer: ControlPeer) async -> String? {
    let owner = peer.user == 0 ? nil : "\(peer.user)"
    return try? await office.home(of: Array(ListName(name).stem), owner: owner)
  }

  private func choose(
    _ reference: ListReference, _ peer: ControlPeer, _ open: [ListProgress],
    or missing: ControlError
  ) throws(ControlError) -> ListProgress {
    let number: UInt64
    do throws(ControlError) {
      // One of an owner who is not a number is nobody's.
      number = try reference.choose(
        among: open.map { ($0.list.number, $0.title, UInt32($0.owner) ?? 0, false) },
        for: peer.user)
    } catch {
      if case .noSuchList = error { throw missing }
      throw error
    }
    guard let list = open.first(where: { $0.list.number == number }) else { throw missing }
    return list
  }

  private func open() async throws(ControlError) -> [ListProgress] {
    try await LedgerAnswer.of { () async throws(Failure) in
      var all: [ListProgress] = []
      while true {
        let more = try await office.lists(after: all.last?.list, most: Self.page, isOpen: true)
        all += more
        if more.count < Self.page { return all }
      }
    }
  }
}

extension ListProgress {
  /// For people.
  fileprivate var title: String { String(decoding: name, as: UTF8.self) }
}

extension ListSummary {
  fileprivate init(_ list: ListProgress, _ owner: UInt32) {
    let state: ListState =
      switch list.state {
      case .running: .running
      case .paused: .paused
      case .cancelling, .cancelled: .cancelled
      case .finished: .finished
      }
    self.init(
      id: list.list.number, name: list.title, title: "", owner: owner, state: state,
      serviceClass: list.serviceClass, total: list.photos,
      new: list.photos - min(list.photos, list.filtered + list.failed), downloaded: 0,
      filtered: list.filtered, failed: list.failed, accepted: 0)
  }
}
