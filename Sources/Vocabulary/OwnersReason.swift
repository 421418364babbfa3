// SPDX-License-Identifier: Apache-2.0
// The reason why a user's file waits or was rejected. It may quote the file, which others cannot read, so that its
// words cannot be had without saying who reads them. A value; raises nothing.

package struct OwnersReason: Equatable, Sendable, CustomStringConvertible {
  /// For users who may not read the file.
  package static let closed = "the reason is for its owner and root"

  private let words: String
  private let owner: UInt32
  private let others: String

  /// - Parameter others: the words for everyone else: nothing of the file is in them.
  package init(_ words: String, of owner: UInt32, others: String = Self.closed) {
    (self.words, self.owner, self.others) = (words, owner, others)
  }

  /// For a reason that has nothing of the file.
  package init(open words: String) { self.init(words, of: 0, others: words) }

  package func words(for reader: UInt32) -> String {
    reader == 0 || reader == owner ? words : others
  }

  package func isOf(_ user: UInt32) -> Bool { user == owner }

  /// As an interpolation shows it, wherever that goes.
  package var description: String { others }
}
