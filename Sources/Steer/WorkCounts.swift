// SPDX-License-Identifier: Apache-2.0
// The amount of open and running work: members of `StatusReport`'s message.

package struct WorkCounts: Equatable, Sendable {
  /// Lists that are not finished or cancelled.
  package var lists: Int
  /// Those of them that wait paused, and how many of them belong to each of the first owners.
  package var pausedLists = 0
  package var paused: [PausedLists] = []
  /// False while a start waits for its disk: the numbers of lists and photos are not known yet.
  package var areKnown = true
  package var photosWaiting: Int
  package var photosRunning: Int
  /// Photos in each stage.
  package var downloads: Int
  package var filters: Int
  package var outputs: Int

  package init(
    lists: Int, photosWaiting: Int, photosRunning: Int, downloads: Int, filters: Int, outputs: Int
  ) {
    self.lists = lists
    self.photosWaiting = photosWaiting
    self.photosRunning = photosRunning
    self.downloads = downloads
    self.filters = filters
    self.outputs = outputs
  }

  package init(_ fields: MessageFields) throws(FieldError) {
    lists = try fields.count("lists")
    photosWaiting = try fields.count("photosWaiting")
    photosRunning = try fields.count("photosRunning")
    downloads = try fields.count("downloads")
    filters = try fields.count("filters")
    outputs = try fields.count("outputs")
    pausedLists = try fields.count("pausedLists", or: 0)
    paused = fields.isMissing("paused") ? [] : try fields.values("paused")
    areKnown = fields.isMissing("listsKnown") ? true : try fields.flag("listsKnown")
  }
}

/// The paused lists of one owner.
package struct PausedLists: MessageValue {
  /// The most owners in a report.
  package static let mostShown = 10

  package var owner: UInt32
  package var lists: Int

  package init(owner: UInt32, lists: Int) { (self.owner, self.lists) = (owner, lists) }

  package init(_ fields: MessageFields) throws(FieldError) {
    owner = try fields.count("owner")
    lists = try fields.count("lists")
  }

  package var object: JSONObject {
    JSONObject(["owner": .int(Int64(owner)), "lists": .int(Int64(lists))])
  }
}
