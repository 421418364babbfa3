// SPDX-License-Identifier: Apache-2.0
// Writes a PNG in colour, never interlaced, some rows at a time, from offset 0 on, into a descriptor that
// the caller closes. Raises `CodecError`, for example `.system` on a full disk.

internal import CCodecs

@safe package struct PNGWriter: ~Copyable {
  let handle: OpaquePointer

  /// Takes size, depth, alpha and the use of a palette from the header.
  package init(descriptor: Int32, like header: PNGHeader) throws(CodecError) {
    var trouble = dr_trouble()
    var header = header.inC
    guard let handle = unsafe dr_png_writer_open(descriptor, &header, &trouble) else {
      throw CodecError(trouble)
    }
    unsafe self.handle = handle
  }

  deinit { unsafe dr_png_writer_close(handle) }

  /// Opens a chunk of exactly `length` bytes; only before the first row.
  package mutating func beginChunk(_ name: [UInt8], length: UInt32) throws(CodecError) {
    precondition(name.count == 4)
    try CodecError.check { trouble in
      unsafe dr_png_writer_chunk(handle, name, length, &trouble)
    }
  }

  package mutating func addToChunk(_ bytes: [UInt8]) throws(CodecError) {
    try CodecError.check { trouble in
      unsafe dr_png_writer_chunk_data(handle, bytes, UInt32(bytes.count), &trouble)
    }
  }

  package mutating func endChunk() throws(CodecError) {
    try CodecError.check { trouble in unsafe dr_png_writer_chunk_end(handle, &trouble) }
  }

  package mutating func write(_ rows: borrowing PixelRows) throws(CodecError) {
    try CodecError.check { trouble in
      unsafe dr_png_writer_rows(
        handle, rows.base.assumingMemoryBound(to: UInt8.self), UInt64(rows.stride),
        UInt32(rows.count), &trouble)
    }
  }

  /// Returns the size of the file.
  package mutating func finish() throws(CodecError) -> UInt64 {
    UInt64(try CodecError.check { trouble in unsafe dr_png_writer_finish(handle, &trouble) })
  }
}
