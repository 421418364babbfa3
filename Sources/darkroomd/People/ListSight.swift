// SPDX-License-Identifier: Apache-2.0
// Decides who may look at the photos of a list: of a private one its owner and root. All users see that it exists, with
// its name, its owner, its state and its counts (`ListSummary`). Every call that tells more asks here. Raises
// `ControlError`.

import Record
import Steer
import Vocabulary

extension Views {
  /// The list that is meant, if the caller may look at its photos.
  func choose(
    _ reference: ListReference, for peer: ControlPeer
  ) throws(ControlError) -> ListID {
    let list = try choose(reference)
    let summary = try summary(list)
    guard mayLook(peer, at: list, of: summary.owner) else {
      throw .permissionDenied(
        why: "list '\(summary.name)' is private; only its owner or root can look at it")
    }
    return list
  }

  /// Those of the lists whose photos the caller may not look at.
  func hidden(_ lists: some Sequence<ListID>, from peer: ControlPeer) -> Set<ListID> {
    Set(lists).filter { list in
      let owner = index[list]?.owner ?? recorder.ledger { $0[list]?.acceptance.owner }
      return !mayLook(peer, at: list, of: owner ?? 0)
    }
  }

  /// A list without a label may be a private one.
  private func mayLook(_ peer: ControlPeer, at list: ListID, of owner: UInt32) -> Bool {
    peer.mayChange(listOf: owner) || index[list]?.terms.isPrivate == false
  }
}
