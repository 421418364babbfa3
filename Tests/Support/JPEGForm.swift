// SPDX-License-Identifier: Apache-2.0
// A JPEG of any form, made from pixels, as cameras, scanners and old programs save it.

internal import CSamples

package struct JPEGForm: Sendable {
  package var width: Int
  package var height: Int
  /// 1 grey, 3 colours, 4 inks as they are stored.
  package var components = 3
  package var quality = 90
  /// Sampling of the first and the fourth component; the others are 1 x 1.
  package var across = 2
  package var down = 2
  package var isProgressive = false
  /// One scan a component.
  package var isSplit = false
  /// Inks stored inverted, with Adobe's marker.
  package var isAdobe = false
  package var isYCCK = false
  /// Three components stored as red, green and blue.
  package var isRGB = false
  package var isArithmetic = false
  package var restartRows = 0

  package init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  package init(width: Int, height: Int, _ change: (inout JPEGForm) -> Void) {
    self.init(width: width, height: height)
    change(&self)
  }

  /// `components` bytes a pixel.
  package func bytes(_ pixels: [UInt8]) -> [UInt8] {
    precondition(pixels.count == width * height * components)
    var form = sample_jpeg()
    form.width = UInt32(width)
    form.height = UInt32(height)
    form.components = Int32(components)
    form.quality = Int32(quality)
    form.across = components == 1 ? 1 : Int32(across)
    form.down = components == 1 ? 1 : Int32(down)
    form.is_progressive = isProgressive ? 1 : 0
    form.is_split = isSplit ? 1 : 0
    form.has_inverse = isAdobe ? 1 : 0
    form.is_ycck = isYCCK ? 1 : 0
    form.is_rgb = isRGB ? 1 : 0
    form.is_arithmetic = isArithmetic ? 1 : 0
    form.restart_rows = Int32(restartRows)
    return unsafe taken(sample_jpeg_write(&form, pixels))
  }
}

/// Copies and frees bytes made by C.
func taken(_ made: sample_bytes) -> [UInt8] {
  defer { unsafe sample_free(made.bytes) }
  return unsafe Array(UnsafeBufferPointer(start: made.bytes, count: made.count))
}
