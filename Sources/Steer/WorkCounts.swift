// SPDX-License-Identifier: Apache-2.0
// The amount of open and running work: members of `StatusReport`'s message.

package struct WorkCounts: Equatable, Sendable {
  /// Lists that are not finished or cancelled.
  package var lists: Int
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
  }
}
