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
    return try Self.choose(reference, peer, try await open(), or: missing)
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

  /// Among the lists that the caller may change. A list of another user is known by its name alone: a pattern would tell
  /// names. The numbers of the ledger mean nothing to the caller.
  static func choose(
    _ reference: ListReference, _ peer: ControlPeer, _ open: [ListProgress],
    or missing: ControlError
  ) throws(ControlError) -> ListProgress {
    let own = open.filter { peer.mayChange($0) }
    let others = open.filter { !peer.mayChange($0) }
    switch meant(reference, among: own, for: peer) {
    case .one(let list): return list
    case .several:
      throw .notPossible(
        why: "'\(reference.text)' means several lists that were dropped at other nodes; "
          + "name one of them at the node where it was dropped")
    case .none where !reference.isPattern:
      if case .none = meant(reference, among: others, for: peer) { throw missing }
      throw .permissionDenied(
        why:
          "list '\(reference.text)' belongs to another user; only its owner or root can change it")
    case .none: throw missing
    }
  }

  private enum Meant {
    case one(ListProgress)
    case several, none
  }

  private static func meant(
    _ reference: ListReference, among lists: [ListProgress], for peer: ControlPeer
  ) -> Meant {
    do throws(ControlError) {
      // One of an owner who is not a number is nobody's.
      let number = try reference.choose(
        among: lists.map { ($0.list.number, $0.title, UInt32($0.owner) ?? 0, false) },
        for: peer.user)
      return lists.first { $0.list.number == number }.map { .one($0) } ?? .none
    } catch {
      if case .ambiguousList = error { return .several }
      return .none
    }
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

extension ControlPeer {
  fileprivate func mayChange(_ list: ListProgress) -> Bool {
    UInt32(list.owner).map { mayChange(listOf: $0) } ?? false
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
