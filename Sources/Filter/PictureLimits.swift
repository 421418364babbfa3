// SPDX-License-Identifier: Apache-2.0
// What one picture may cost before it is refused.

package import Codecs

package struct PictureLimits: Equatable, Sendable {
  package var codec: CodecLimits
  /// Bytes of metadata that are carried over; they are copied piece by piece, not held.
  package var metadataSize: UInt64
  /// Marker segments or chunks beside the picture itself.
  package var metadataParts: Int
  /// Bytes of the colour profile, as it stands in the file. Those of screens have some hundreds,
  /// those of printers up to two million.
  package var profileSize: UInt64

  package init(
    codec: CodecLimits = CodecLimits(), metadataSize: UInt64 = 32 << 20, metadataParts: Int = 4096,
    profileSize: UInt64 = 4 << 20
  ) {
    self.codec = codec
    self.metadataSize = metadataSize
    self.metadataParts = metadataParts
    self.profileSize = profileSize
  }

  package init(maximumPixels: UInt64, maximumMemory: UInt64) {
    self.init(codec: CodecLimits(pixels: maximumPixels, memory: maximumMemory))
  }

  /// Judges what was counted so far, so that the walk ends as soon as it is too much.
  func check(parts: Int, size: UInt64, profile: UInt64) throws(PictureTrouble) {
    guard parts <= metadataParts else {
      throw .metadata("it carries more than \(metadataParts) pieces of metadata")
    }
    guard size <= metadataSize else {
      throw .metadata("it carries more metadata than \(metadataSize >> 20) MiB")
    }
    guard profile <= profileSize else { throw .profile(limit: profileSize) }
  }
}
