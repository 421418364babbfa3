// SPDX-License-Identifier: Apache-2.0
// The end of a catalog: options, index, footer. Nil unless all of it is valid. Raises SystemError.

internal import Digests
internal import Vocabulary

struct CatalogFooter {
  let optionsOffset: UInt64
  let indexOffset: UInt64
  let count: UInt32
  let options: ListOptions
  let spans: [ClassSpan]

  /// Nil if the file is not a complete catalog. Reads an index of any size in small pieces.
  init?(_ file: any OpenFile, limits: ListLimits) throws(SystemError) {
    let size = try file.status().size
    let head = UInt64(CatalogFormat.head.count)
    guard size > head + CatalogFormat.footerSize,
      try file.read(at: 0, upTo: Int(head)) == CatalogFormat.head
    else { return nil }
    let footerOffset = size - CatalogFormat.footerSize
    let footer = try file.read(at: footerOffset, upTo: Int(CatalogFormat.footerSize))
    var cursor = CatalogCursor(ArraySlice(footer))
    guard let optionsOffset: UInt64 = cursor.fixed(), let indexOffset: UInt64 = cursor.fixed(),
      let count: UInt32 = cursor.fixed(), let crc: UInt32 = cursor.fixed(),
      cursor.piece(UInt64(CatalogFormat.tail.count)).map(Array.init) == CatalogFormat.tail
    else { return nil }
    guard count >= 1, count <= limits.photos else { return nil }
    let rows = UInt64((count - 1) / CatalogFormat.blockPhotos) + 1
    // Neither sum can overflow: a count has 32 bits, and the offset is at most the size.
    guard optionsOffset >= head, optionsOffset <= indexOffset, indexOffset <= footerOffset,
      indexOffset - optionsOffset <= CatalogFormat.longestOptions,
      indexOffset + rows * CatalogFormat.indexRowSize == footerOffset
    else { return nil }
    let optionBytes = try file.read(
      at: optionsOffset, upTo: Int(indexOffset - optionsOffset))
    let checked = try Self.checksum(file, from: optionsOffset, to: footerOffset + 20)
    guard checked == crc, let options = ListOptions(fields: ArraySlice(optionBytes)),
      let spans = [ClassSpan](fields: ArraySlice(optionBytes), count: count)
    else { return nil }
    self.optionsOffset = optionsOffset
    self.indexOffset = indexOffset
    self.count = count
    self.options = options
    self.spans = spans
  }

  private static func checksum(
    _ file: any OpenFile, from start: UInt64, to end: UInt64
  ) throws(SystemError) -> UInt32? {
    var crc: UInt32 = 0
    var offset = start
    while offset < end {
      let bytes = try file.read(at: offset, upTo: Int(min(64 << 10, end - offset)))
      if bytes.isEmpty { return nil }
      crc = CRC32C.checksum(bytes, seed: crc)
      offset += UInt64(bytes.count)
    }
    return crc
  }
}
