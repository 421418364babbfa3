// SPDX-License-Identifier: Apache-2.0
// The photos of a list that a viewer looks at: they go first among the photos of the list's owner, on all nodes.

package import Vocabulary

package struct LedgerFocus: Equatable, Sendable {
  /// The most viewers of one list, and of all lists.
  package static let (mostOfList, mostViewers) = (16, 256)
  /// The most photos of a share that is cut out of the list. Several nodes have the photos of one viewer.
  package static let largestShare = 32
  /// The longest time of a focus.
  package static let longest = Duration.seconds(3600)
  /// The most shares that one call cuts out, and the most cut-out shares of a list that no node has leased yet.
  /// Further photos wait for the turns of their list.
  package static let (mostNew, mostCuts) = (64, 256)
  /// The most places of a list where photos were cut out.
  package static let mostGaps = 1024

  package let list: LedgerList
  /// Tells the viewers of one list apart.
  package let viewer: OutsideText
  /// The photos that are not recorded yet, in ascending order.
  package let photos: [UInt32]
  /// The focus ends after this time.
  package let time: Duration

  package init(_ list: LedgerList, viewer: OutsideText, photos: [UInt32], time: Duration) {
    self.list = list
    self.viewer = viewer
    self.photos = photos
    self.time = time
  }
}

package enum FocusAnswer: Equatable, Sendable {
  /// The number of photos that are not recorded yet. If it is 0, there is no focus.
  case set(left: UInt32)
  /// The list is unknown, cancelled, or over.
  case notAtWork
  case tooManyViewers
}
