// SPDX-License-Identifier: Apache-2.0
// A list as `check` shows it. Each photo is read on demand.

package import Vocabulary

package struct CheckedList: Sendable {
  package struct Entry: Equatable, Sendable {
    package let name: String
    package let url: String
    /// The failure that the photo would get; nil for a valid photo.
    package let failure: Failure?

    package init(name: String, url: String, failure: Failure?) {
      self.name = name
      self.url = url
      self.failure = failure
    }
  }

  package let count: UInt32
  package let title: String
  package let serviceClass: ServiceClass?
  package let filter: FilterFunction?
  package let quality: PrintQuality?
  package let metadata: MetadataRule?
  /// Reads a photo by its number, which starts at 1.
  package let entry: @Sendable (UInt32) throws(Failure) -> Entry

  package init(
    count: UInt32, title: String, serviceClass: ServiceClass?, filter: FilterFunction?,
    quality: PrintQuality? = nil, metadata: MetadataRule? = nil,
    entry: @escaping @Sendable (UInt32) throws(Failure) -> Entry
  ) {
    self.count = count
    self.title = title
    self.serviceClass = serviceClass
    self.filter = filter
    self.quality = quality
    self.metadata = metadata
    self.entry = entry
  }
}
