// SPDX-License-Identifier: Apache-2.0
// Reads a PNG, some rows at a time, from a descriptor that the caller closes; reads an interlaced picture
// whole when it opens. Checks the header against the limits before it allocates anything that depends on
// the size. Raises `CodecError`, even for a wrong checksum of any chunk and a missing end chunk.

internal import CCodecs

@safe package struct PNGReader: ~Copyable {
  package let header: PNGHeader
  private let handle: OpaquePointer

  package init(descriptor: Int32, limits: CodecLimits) throws(CodecError) {
    var trouble = dr_trouble()
    var header = dr_png_header()
    var limits = limits.inC
    guard let handle = unsafe dr_png_reader_open(descriptor, &limits, &header, &trouble) else {
      throw CodecError(trouble)
    }
    unsafe self.handle = handle
    self.header = PNGHeader(inC: header)
  }

  deinit { unsafe dr_png_reader_close(handle) }

  /// Fills the band; at the end of the picture it is short, then empty.
  package mutating func read(_ rows: inout PixelRows) throws(CodecError) {
    precondition(
      rows.depth == header.depth && rows.width == header.width && !header.isPalette)
    let count = try CodecError.check { trouble in
      unsafe dr_png_reader_rows(
        handle, rows.base.assumingMemoryBound(to: UInt8.self), UInt64(rows.stride),
        UInt32(rows.capacity), &trouble)
    }
    rows.count = Int(count)
  }

  /// Develops the whole picture by its palette: the matrix changes the palette, the indices stay.
  package mutating func develop(
    _ matrix: ColourMatrix, into writer: inout PNGWriter, _ thumbnail: ThumbnailMaker? = nil
  ) throws(CodecError) {
    precondition(header.isPalette)
    var inC = matrix.inC
    try CodecError.check { trouble in
      unsafe dr_png_palette_develop(
        handle, writer.handle, &inC, thumbnail?.handle, &trouble)
    }
  }

  /// Raises if the end of the picture is missing.
  package mutating func finish() throws(CodecError) {
    try CodecError.check { trouble in unsafe dr_png_reader_finish(handle, &trouble) }
  }
}
