// SPDX-License-Identifier: Apache-2.0
// Answers `Focus` and `Unfocus`: the photos that a viewer names go first within the share of the list's owner.
// Only the owner and root may change that order: it delays the owner's other photos. The focus is in memory
// only. Raises `ControlError`.
// Concurrency: immutable; the catalog is read in `onDisk`.

import Catalog
import Chain
import Linux
import Record
import Steer
import Vocabulary

struct FocusCalls {
  let views: Views

  /// `list` is one that the caller may change.
  func focus(
    _ order: FocusOrder, on list: ListID, by user: UInt32
  ) async throws(ControlError) -> ControlReply {
    try refuseOver(list)
    let numbers = try await onDisk { () throws(ControlError) in
      try named(by: order, in: list)
    }
    let left = views.recorder.ledger { ledger in
      numbers.filter { ledger[list]?.state(of: $0)?.isFinal == false }
    }
    let time = Duration.seconds(Int64(order.seconds))
    let viewer = FocusBoard.Viewer(list, user: user, name: order.viewer)
    if left.isEmpty {
      _ = views.chains.unfocus(viewer)
    } else {
      do throws(FocusBoard.Refusal) {
        try views.chains.focus(viewer, on: left, for: time)
      } catch { throw Self.words(error) }
    }
    return .focused(
      FocusReport(
        list: try views.summary(list), photos: UInt32(numbers.count), left: UInt32(left.count),
        until: views.clock.wallTime() + UInt64(order.seconds) * 1000))
  }

  func unfocus(
    _ list: ListID, viewer name: String, by user: UInt32
  ) throws(ControlError) -> ControlReply {
    _ = views.chains.unfocus(FocusBoard.Viewer(list, user: user, name: name))
    return .focused(FocusReport(list: try views.summary(list)))
  }

  private func refuseOver(_ list: ListID) throws(ControlError) {
    if views.recorder.ledger({ $0[list]?.state.isFinal }) == false { return }
    throw .notPossible(why: ListLife.over.reason)
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

  private static func words(_ refusal: FocusBoard.Refusal) -> ControlError {
    switch refusal {
    case .notAtWork: .notPossible(why: "the list is not at work yet; 'darkroomctl why' says why")
    case .tooManyViewers:
      .notPossible(
        why: "at most \(FocusBoard.mostOfList) viewers may have a focus on a list, and "
          + "\(FocusBoard.mostViewers) in all")
    }
  }
}
