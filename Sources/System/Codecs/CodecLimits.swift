// SPDX-License-Identifier: Apache-2.0
// What a picture may ask for, judged by its header before anything is allocated for it.

internal import CCodecs

package struct CodecLimits: Equatable, Sendable {
  package var pixels: UInt64
  /// Bytes, for what its form forces into memory at once.
  package var memory: UInt64
  /// Of a progressive JPEG; each costs a walk over the whole picture.
  package var scans: UInt32

  package init(pixels: UInt64 = 100_000_000, memory: UInt64 = 512 << 20, scans: UInt32 = 100) {
    self.pixels = pixels
    self.memory = memory
    self.scans = scans
  }

  var inC: dr_codec_limits {
    dr_codec_limits(pixels: pixels, memory: memory, scans: scans)
  }
}
