// SPDX-License-Identifier: Apache-2.0
// Decodes the parts of a catalog from untrusted bytes. Never reads past their end; returns nil if they are
// damaged.

struct CatalogCursor {
  private let bytes: ArraySlice<UInt8>
  private var position: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  var isAtEnd: Bool { position == bytes.endIndex }

  mutating func byte() -> UInt8? {
    guard position < bytes.endIndex else { return nil }
    defer { position += 1 }
    return bytes[position]
  }

  /// At most nine bytes, so at most 63 bits.
  mutating func varint() -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 63, by: 7) {
      guard let byte = byte() else { return nil }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    return nil
  }

  mutating func piece(_ count: UInt64) -> ArraySlice<UInt8>? {
    guard count <= UInt64(bytes.endIndex - position) else { return nil }
    let start = position
    position += Int(count)
    return bytes[start..<position]
  }

  /// A little-endian number of a fixed size.
  mutating func fixed<Number: FixedWidthInteger>(_: Number.Type = Number.self) -> Number? {
    guard let piece = piece(UInt64(Number.bitWidth / 8)) else { return nil }
    return piece.reversed().reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
  }

  /// A tag and its bytes.
  mutating func field() -> (tag: UInt8, bytes: ArraySlice<UInt8>)? {
    guard let tag = byte(), let count = varint(), let bytes = piece(count) else { return nil }
    return (tag, bytes)
  }

  /// Bytes preceded by their size.
  mutating func sized() -> ArraySlice<UInt8>? {
    guard let count = varint() else { return nil }
    return piece(count)
  }
}
