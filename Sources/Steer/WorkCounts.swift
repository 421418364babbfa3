// SPDX-License-Identifier: Apache-2.0
// The amount of open and running work: members of `StatusReport`'s message.

package struct WorkCounts: Equatable, Sendable {
  /// Lists that are not finished or cancelled.
  package var lists = 0
  /// How many lists wait paused, and how many of these belong to each of the first owners.
  package var pausedLists = 0
  package var paused: [PausedLists] = []
  /// False while a start waits for its disk: the numbers of lists and photos are not known yet.
  package var areKnown = true
  package var photosWaiting = 0
  package var photosRunning = 0
  /// Photos in each stage.
  package var downloads = 0
  package var filters = 0
  package var outputs = 0

  package init() {}
  package init(
    lists: Int, photosWaiting: Int, photosRunning: Int, downloads: Int, filters: Int, outputs: Int
  ) {
    (self.lists, self.photosWaiting, self.photosRunning) = (lists, photosWaiting, photosRunning)
    (self.downloads, self.filters, self.outputs) = (downloads, filters, outputs)
  }
}

/// The paused lists of one owner.
package struct PausedLists: MessageValue {
  /// The most owners in a report.
  package static let mostShown = 10

  package var owner: UInt32 = 0
  package var lists = 0

  package init(owner: UInt32, lists: Int) { (self.owner, self.lists) = (owner, lists) }

  package init() {}
  package static let fields: [Field] = [Field("owner", \.owner), Field("lists", \.lists)]
}
