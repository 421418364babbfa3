// SPDX-License-Identifier: Apache-2.0
// Writes a baseline JPEG, some rows at a time, from offset 0 on, into a descriptor that the caller closes.
// Raises `CodecError`, for example `.system` on a full disk.

internal import CCodecs

@safe package struct JPEGWriter: ~Copyable {
  let handle: OpaquePointer

  /// Takes sampling and density from the reader and, unless a quality (1...100) is given, its
  /// quantisation tables.
  package init(
    descriptor: Int32, like reader: borrowing JPEGReader, quality: Int? = nil
  ) throws(CodecError) {
    var trouble = dr_trouble()
    guard
      let handle = unsafe dr_jpeg_writer_open(
        descriptor, reader.handle, Int32(quality ?? 0), &trouble)
    else { throw CodecError(trouble) }
    unsafe self.handle = handle
  }

  deinit { unsafe dr_jpeg_writer_close(handle) }

  /// Writes a marker segment (bytes without marker and length); only before the first row.
  package mutating func write(marker: UInt8, _ bytes: [UInt8]) throws(CodecError) {
    precondition(bytes.count <= 65533)
    try CodecError.check { trouble in
      unsafe dr_jpeg_writer_marker(handle, Int32(marker), bytes, UInt32(bytes.count), &trouble)
    }
  }

  package mutating func write(_ rows: borrowing PixelRows) throws(CodecError) {
    precondition(rows.depth == 8)
    try CodecError.check { trouble in
      unsafe dr_jpeg_writer_rows(
        handle, rows.base.assumingMemoryBound(to: UInt8.self), UInt64(rows.stride),
        UInt32(rows.count), &trouble)
    }
  }

  /// Returns the size of the file.
  package mutating func finish() throws(CodecError) -> UInt64 {
    UInt64(try CodecError.check { trouble in unsafe dr_jpeg_writer_finish(handle, &trouble) })
  }
}
