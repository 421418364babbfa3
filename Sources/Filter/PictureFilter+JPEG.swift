// SPDX-License-Identifier: Apache-2.0
// The pass of a JPEG: header, metadata, rows, and the end, which is required. Raises CodecError.

internal import Codecs
internal import Vocabulary

extension PictureFilter.Pass {
  func developJPEG() throws(CodecError) -> Developed {
    var reader = try JPEGReader(
      descriptor: original.descriptor, limits: limits.codec, matrix: matrix)
    var beside = try JPEGMetadata(of: original, rule: metadata, limits: limits)
    var writer = try JPEGWriter(descriptor: print.descriptor, like: reader, quality: quality)
    try beside.copy(from: original, into: &writer)
    let header = reader.header
    let maker = thumbnailMaker(header.width, header.height, beside.orientation(in: original))
    if header.hasPlanes {
      try reader.develop(matrix, into: &writer, maker)
    } else {
      try developRows(&reader, &writer, maker)
    }
    try reader.finish()
    let size = try writer.finish()
    return Developed(
      format: .jpeg, width: UInt32(header.width), height: UInt32(header.height), size: size,
      notices: beside.notices,
      thumbnail: write(maker, profile: beside.smallProfile(in: original)))
  }

  private func developRows(
    _ reader: inout JPEGReader, _ writer: inout JPEGWriter, _ maker: ThumbnailMaker?
  ) throws(CodecError) {
    var rows = PixelRows(width: reader.header.width, depth: 8)
    try reader.read(&rows)
    while rows.count > 0 {
      rows.apply(matrix)
      maker?.add(rows)
      try writer.write(rows)
      try reader.read(&rows)
    }
  }
}
