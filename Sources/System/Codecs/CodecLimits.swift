// SPDX-License-Identifier: Apache-2.0
// The limits of a picture. Pixels and memory are judged by its header, before anything that depends on its
// size is allocated; scans are counted while they are read.

internal import CCodecs

package struct CodecLimits: Equatable, Sendable {
  package var pixels: UInt64
  /// Bytes that its form forces into memory at once.
  package var memory: UInt64
  /// Scans of a JPEG; each costs a pass over the whole picture.
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
