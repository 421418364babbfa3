// SPDX-License-Identifier: Apache-2.0
// What one picture may cost before it is refused.

package import Codecs

package struct PictureLimits: Equatable, Sendable {
  package var codec: CodecLimits
  /// Bytes of metadata that are carried over; they are copied piece by piece, not held.
  package var metadataSize: UInt64
  /// Marker segments or chunks beside the picture itself.
  package var metadataParts: Int

  package init(
    codec: CodecLimits = CodecLimits(), metadataSize: UInt64 = 32 << 20, metadataParts: Int = 4096
  ) {
    self.codec = codec
    self.metadataSize = metadataSize
    self.metadataParts = metadataParts
  }

  package init(maximumPixels: UInt64, maximumMemory: UInt64) {
    self.init(codec: CodecLimits(pixels: maximumPixels, memory: maximumMemory))
  }
}
