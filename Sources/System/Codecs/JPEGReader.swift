// SPDX-License-Identifier: Apache-2.0
// Reads a JPEG, some rows at a time, from a descriptor that the caller closes. Checks the header against
// the limits before it allocates anything that depends on the size. Raises `CodecError`, even for
// libjpeg's warnings and for a missing end marker.

internal import CCodecs

@safe package struct JPEGReader: ~Copyable {
  package let header: JPEGHeader
  let handle: OpaquePointer

  /// If a matrix is given, and picture and matrix allow it, `header.hasPlanes` is true: `develop` then
  /// replaces `read`.
  package init(
    descriptor: Int32, limits: CodecLimits, matrix: ColourMatrix? = nil
  ) throws(CodecError) {
    var trouble = dr_trouble()
    var header = dr_jpeg_header()
    var limits = limits.inC
    let wantsPlanes: Int32 = matrix?.suitsPlanes == true ? 1 : 0
    guard
      let handle = unsafe dr_jpeg_reader_open(
        descriptor, &limits, wantsPlanes, &header, &trouble)
    else { throw CodecError(trouble) }
    unsafe self.handle = handle
    self.header = JPEGHeader(inC: header)
  }

  deinit { unsafe dr_jpeg_reader_close(handle) }

  /// Fills the band; at the end of the picture it is short, then empty.
  package mutating func read(_ rows: inout PixelRows) throws(CodecError) {
    precondition(rows.depth == 8 && rows.width == header.width && !header.hasPlanes)
    let count = try CodecError.check { trouble in
      unsafe dr_jpeg_reader_rows(
        handle, rows.base.assumingMemoryBound(to: UInt8.self), UInt64(rows.stride),
        UInt32(rows.capacity), &trouble)
    }
    rows.count = Int(count)
  }

  /// Develops the whole picture on its planes of light and chroma: corresponds to decoding, matrix and
  /// encoding, but skips red, green and blue where no channel can clip.
  package mutating func develop(
    _ matrix: ColourMatrix, into writer: inout JPEGWriter, _ thumbnail: ThumbnailMaker? = nil
  ) throws(CodecError) {
    precondition(header.hasPlanes)
    var inC = matrix.inC
    try CodecError.check { trouble in
      unsafe dr_jpeg_planes_develop(
        handle, writer.handle, &inC, thumbnail?.handle, &trouble)
    }
  }

  /// Raises if the end of the picture is missing.
  package mutating func finish() throws(CodecError) {
    try CodecError.check { trouble in unsafe dr_jpeg_reader_finish(handle, &trouble) }
  }
}
