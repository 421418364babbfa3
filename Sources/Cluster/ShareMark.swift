// SPDX-License-Identifier: Apache-2.0
// Which share of a list in the ledger a list of this node is; `Share=` in its `about`. A value.

internal import Vocabulary

package struct ShareMark: Hashable, Sendable {
  package let id: ShareID
  package let last: UInt32

  package init(_ share: Share) { (id, last) = (share.id, share.last) }

  /// Nil for text that `text` does not write.
  package init?(text: some StringProtocol) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 4, let list = UInt64(parts[0]), let first = UInt32(parts[1]),
      let last = UInt32(parts[2]), let epoch = UInt32(parts[3]), first >= 1, first <= last
    else { return nil }
    id = ShareID(list: LedgerList(list), first: first, epoch: epoch)
    self.last = last
  }

  package var text: String { "\(id.list)/\(id.first)/\(last)/\(id.epoch)" }
  package var photos: Int { Int(last - id.first) + 1 }
}
