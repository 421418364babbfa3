// SPDX-License-Identifier: Apache-2.0
// Lets the photos that viewers look at go first in a list of this node.
// Concurrency: immutable; reads catalogs in `onDisk`.

import Catalog
import Chain
import Cluster
import Linux
import Vocabulary

struct FocusDesk: OnGround {
  let ground: Ground
  let chains: ChainRunner<PhotoStages>

  /// False if the list cannot be told yet.
  func tell(_ deed: FocusBook.Deed) async -> Bool {
    switch deed {
    case .end(let list, let viewer):
      _ = chains.unfocus(FocusBoard.Viewer(list, viewer))
      return true
    case .set(let list, let viewer, let photos, let until):
      let numbers = await onDisk { try? self.numbers(of: photos, in: list) }
      guard let numbers else { return false }
      do throws(Failure) {
        try chains.focus(FocusBoard.Viewer(list, viewer), on: numbers, for: until - clock.uptime())
      } catch { return false }
      return true
    }
  }

  /// In the list of this node.
  private func numbers(
    of photos: Set<UInt32>, in list: ListID
  ) throws(Failure) -> [UInt32] {
    let catalog = try lists.look(list).catalog
    return catalog.numbers.filter { photos.contains(catalog.place(of: $0)) }
  }
}

/// The viewers of a list in the ledger.
enum LedgerViewer {
  static func text(user: UInt32, name: String) -> OutsideText {
    OutsideText(checked: "\(user) \(name)")
  }
}

extension FocusBoard.Viewer {
  /// - Parameter viewer: as the ledger has it.
  fileprivate init(_ list: ListID, _ viewer: OutsideText) {
    let text = viewer.text
    let end = text.utf8.firstIndex(of: UInt8(ascii: " ")) ?? text.endIndex
    self.init(
      list, user: UInt32(text[..<end]) ?? .max,
      name: OutsideText(
        checked: end < text.endIndex ? String(text[text.utf8.index(after: end)...]) : ""))
  }
}
