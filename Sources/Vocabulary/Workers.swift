// SPDX-License-Identifier: Apache-2.0
// The workers as the daemon sees them: the only place where untrusted lists and pictures are parsed.
// `Worker` has the real ones (sandboxed processes); tests use scripted ones. Answers are not trusted.

package protocol Workers: Sendable {
  /// Reads the property list of this user in `list` and writes a catalog into `catalog`.
  /// An unacceptable list raises a `Failure` of kind `final`, worded with line and key.
  func readList(
    _ list: any OpenFile, of owner: UInt32, catalog: any OpenFile, limits: ListLimits
  ) async throws(Failure)

  /// A list of this user may be read soon: a worker may be started in advance.
  func foreseeList(of owner: UInt32, _ limits: ListLimits)

  /// Develops `original` into `print`. Rows stream through: memory does not grow with the picture. A thumbnail that
  /// cannot be written is missing in the result.
  func develop(
    _ original: any OpenFile, into print: any OpenFile, thumbnail: Thumbnail.Order?,
    _ order: DevelopOrder
  ) async throws(Failure) -> Developed
}

extension Workers {
  package func foreseeList(of owner: UInt32, _ limits: ListLimits) {}

  package func develop(
    _ original: any OpenFile, into print: any OpenFile, _ order: DevelopOrder
  ) async throws(Failure) -> Developed {
    try await develop(original, into: print, thumbnail: nil, order)
  }
}

package struct ListLimits: Equatable, Sendable {
  package let size: UInt64
  package let photos: UInt32
  package let keyBytes: UInt32
  package let valueBytes: UInt32

  package init(
    size: UInt64 = 256 << 20, photos: UInt32 = 5_000_000, keyBytes: UInt32 = 4096,
    valueBytes: UInt32 = UInt32(PhotoURL.longest)
  ) {
    self.size = size
    self.photos = photos
    self.keyBytes = keyBytes
    self.valueBytes = valueBytes
  }
}

package struct DevelopOrder: Equatable, Sendable {
  /// The user who dropped the list. Users share no worker: a picture that corrupts its worker affects photos
  /// of this user alone.
  package let owner: UInt32
  package let serviceClass: ServiceClass
  package let filter: FilterFunction
  /// For JPEG prints.
  package let quality: PrintQuality
  package let metadata: MetadataRule
  package let maximumPixels: UInt64
  package let maximumMemory: UInt64
  package let timeout: Duration

  package init(
    owner: UInt32, serviceClass: ServiceClass, filter: FilterFunction,
    quality: PrintQuality = .source, metadata: MetadataRule = .keep, maximumPixels: UInt64,
    maximumMemory: UInt64, timeout: Duration
  ) {
    self.owner = owner
    self.serviceClass = serviceClass
    self.filter = filter
    self.quality = quality
    self.metadata = metadata
    self.maximumPixels = maximumPixels
    self.maximumMemory = maximumMemory
    self.timeout = timeout
  }
}

package enum PictureFormat: UInt8, Sendable, CaseIterable {
  case jpeg = 1
  case png = 2

  package var name: String { self == .jpeg ? "jpeg" : "png" }
  package var fileExtension: String { self == .jpeg ? "jpg" : "png" }
}

/// The facts of a finished print.
package struct Developed: Equatable, Sendable {
  package let format: PictureFormat
  package let width: UInt32
  package let height: UInt32
  package let size: UInt64
  package let notices: PictureNotices
  package let thumbnail: Thumbnail?

  package init(
    format: PictureFormat, width: UInt32, height: UInt32, size: UInt64,
    notices: PictureNotices = [], thumbnail: Thumbnail? = nil
  ) {
    self.format = format
    self.width = width
    self.height = height
    self.size = size
    self.notices = notices
    self.thumbnail = thumbnail
  }
}
