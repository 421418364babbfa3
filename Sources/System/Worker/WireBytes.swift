// SPDX-License-Identifier: Apache-2.0
// Numbers and texts in a packet between daemon and worker, little-endian. Reading trusts nothing: each
// step returns nil if the packet is too short.

struct WireWriter {
  private(set) var bytes: [UInt8] = []

  mutating func put(_ value: some FixedWidthInteger & UnsignedInteger) {
    var rest = UInt64(value)
    for _ in 0..<(type(of: value).bitWidth / 8) {
      bytes.append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
  }

  /// The length, then at most `limit` bytes of the text.
  mutating func put(_ text: String, atMost limit: UInt16) {
    let piece = Array(text.utf8.prefix(Int(limit)))
    put(UInt16(piece.count))
    bytes += piece
  }
}

struct WireReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func take<Value: FixedWidthInteger & UnsignedInteger>(_: Value.Type) -> Value? {
    let count = Value.bitWidth / 8
    guard rest.count >= count else { return nil }
    let value = rest.prefix(count).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    rest.removeFirst(count)
    return Value(truncatingIfNeeded: value)
  }

  mutating func takeText() -> [UInt8]? {
    guard let count = take(UInt16.self), rest.count >= Int(count) else { return nil }
    let text = Array(rest.prefix(Int(count)))
    rest.removeFirst(Int(count))
    return text
  }
}
