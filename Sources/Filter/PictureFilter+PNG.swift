// SPDX-License-Identifier: Apache-2.0
// The pass of a PNG: header, metadata, rows or palette and indices, and the end, which is required. Raises
// CodecError.

internal import Codecs
internal import Vocabulary

extension PictureFilter.Pass {
  func developPNG() throws(CodecError) -> Developed {
    var reader = try PNGReader(descriptor: original.descriptor, limits: limits.codec)
    let header = reader.header
    var beside = try PNGMetadata(
      of: original, isGrey: header.isGrey, rule: metadata, limits: limits)
    var writer = try PNGWriter(descriptor: print.descriptor, like: header)
    try beside.copy(from: original, into: &writer)
    let maker = thumbnailMaker(header.width, header.height, beside.orientation(in: original))
    if header.isPalette {
      try reader.develop(matrix, into: &writer, maker)
    } else {
      try developRows(&reader, &writer, maker)
    }
    try reader.finish()
    let size = try writer.finish()
    return Developed(
      format: .png, width: UInt32(header.width), height: UInt32(header.height), size: size,
      notices: beside.notices,
      thumbnail: write(maker, profile: beside.smallProfile(in: original)))
  }

  private func developRows(
    _ reader: inout PNGReader, _ writer: inout PNGWriter, _ maker: ThumbnailMaker?
  ) throws(CodecError) {
    var rows = PixelRows(width: reader.header.width, depth: reader.header.depth)
    try reader.read(&rows)
    while rows.count > 0 {
      rows.apply(matrix)
      maker?.add(rows, hasAlpha: reader.header.hasAlpha)
      try writer.write(rows)
      try reader.read(&rows)
    }
  }
}
