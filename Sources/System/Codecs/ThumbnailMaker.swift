// SPDX-License-Identifier: Apache-2.0
// Makes a thumbnail from the rows of a picture while they pass: each of its pixels is the average of the area
// that it covers. Turns it as the picture's orientation says, and writes it as a separate JPEG. `write`
// raises `CodecError`; a picture whose rows did not all come has no thumbnail.

internal import CCodecs
package import Vocabulary

@safe package final class ThumbnailMaker {
  private static let quality: Int32 = 78
  let handle: OpaquePointer

  /// At most `height` pixels high and four times as wide as that; never larger than the picture. Nil if there
  /// is no memory left.
  package init?(width: Int, height: Int, orientation: Int, most: Int) {
    guard width > 0, height > 0, most > 0,
      let handle = unsafe dr_thumbnail_open(
        UInt32(width), UInt32(height), Int32(clamping: orientation), UInt32(most))
    else { return nil }
    unsafe self.handle = handle
  }

  deinit { unsafe dr_thumbnail_close(handle) }

  /// Without memory the rows are missing, and `write` finds that.
  package func add(_ rows: borrowing PixelRows, hasAlpha: Bool = false) {
    let (stride, count, alpha) = (UInt64(rows.stride), UInt32(rows.count), Int32(hasAlpha ? 1 : 0))
    if rows.depth == 8 {
      _ = unsafe dr_thumbnail_rows8(
        handle, rows.base.assumingMemoryBound(to: UInt8.self), stride, count, alpha)
    } else {
      _ = unsafe dr_thumbnail_rows16(
        handle, rows.base.assumingMemoryBound(to: UInt16.self), stride, count, alpha)
    }
  }

  /// Writes the thumbnail, with the profile of its colours if it needs one, from offset 0 of the descriptor, which the
  /// caller closes. Also returns its size in the file; nil if rows are missing.
  package func write(
    to descriptor: Int32, profile: [UInt8]?
  ) throws(CodecError) -> (thumbnail: Thumbnail, size: UInt64)? {
    guard unsafe dr_thumbnail_is_whole(handle) != 0, unsafe dr_thumbnail_turn(handle) == 0 else {
      return nil
    }
    var trouble = dr_trouble()
    guard
      let writer = unsafe dr_jpeg_writer_open_thumbnail(
        descriptor, handle, Self.quality, &trouble)
    else { throw CodecError(trouble) }
    defer { unsafe dr_jpeg_writer_close(writer) }
    if let profile {
      try CodecError.check { trouble in
        unsafe dr_jpeg_writer_marker(writer, 0xE2, profile, UInt32(profile.count), &trouble)
      }
    }
    try CodecError.check { trouble in unsafe dr_jpeg_writer_thumbnail(writer, handle, &trouble) }
    let size = try CodecError.check { trouble in unsafe dr_jpeg_writer_finish(writer, &trouble) }
    let form = unsafe dr_thumbnail_form(handle)
    let thumbnail = Thumbnail(
      width: UInt16(clamping: form.width), height: UInt16(clamping: form.height),
      grid: ColourGrid(colours))
    return (thumbnail, UInt64(size))
  }

  /// Red, green and blue of the grid's parts.
  private var colours: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(DR_GRID_BYTES))
    unsafe dr_thumbnail_grid(handle, &bytes)
    return bytes
  }
}
