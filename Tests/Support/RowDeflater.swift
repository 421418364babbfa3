// SPDX-License-Identifier: Apache-2.0
// Compresses rows in memory as the PNG writer does.

internal import CCodecs

package enum RowDeflater {
  /// The possible sizes of a pixel, in bytes.
  package static let pixelSizes = [1, 3, 4, 6, 8]

  /// `bytes` are rows of `rowSize` bytes (whole pixels), each after a mark byte. Nil if the result is more
  /// than a hundredth plus 400 bytes larger than its input.
  package static func pack(_ bytes: [UInt8], pixelSize: Int, rowSize: Int) -> [UInt8]? {
    precondition(pixelSizes.contains(pixelSize) && rowSize > 0 && rowSize % pixelSize == 0)
    precondition(bytes.isEmpty || (bytes.count - 1) % (rowSize + 1) % pixelSize == 0)
    let room = bytes.count + bytes.count / 100 + 400
    var count: Int64 = 0
    let packed = unsafe [UInt8](unsafeUninitializedCapacity: room) { buffer, used in
      count = unsafe dr_deflate_rows(
        UInt32(pixelSize), bytes, UInt64(bytes.count), UInt64(rowSize), buffer.baseAddress,
        UInt64(room))
      used = max(Int(count), 0)
    }
    return count < 0 ? nil : packed
  }
}
