// SPDX-License-Identifier: Apache-2.0
// The limits of one picture.

package import Codecs

package struct PictureLimits: Equatable, Sendable {
  package var codec: CodecLimits
  /// The limit of metadata in bytes.
  package var metadataSize: UInt64
  /// The limit of marker segments or chunks beside the picture itself.
  package var metadataParts: Int
  /// The limit of the colour profile in bytes, as stored in the file. Profiles of screens have some hundred
  /// bytes, profiles of printers up to two million.
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

  /// Checks the counts during the walk, so that it ends as soon as one is too large.
  func check(parts: Int, size: UInt64, profile: UInt64) throws(CodecError) {
    guard parts <= metadataParts else {
      throw CodecError(.metadata, "it has more than \(metadataParts) pieces of metadata")
    }
    guard size <= metadataSize else {
      throw CodecError(.metadata, "it has more than \(metadataSize >> 20) MiB of metadata")
    }
    guard profile <= profileSize else {
      throw CodecError(.profile, "its colour profile is larger than \(profileSize >> 20) MiB")
    }
  }
}
