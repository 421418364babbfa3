// SPDX-License-Identifier: Apache-2.0
// Parameters of statements in PostgreSQL's binary format. The statement casts each: `$1::int8`.

package enum PostgresValue: Equatable, Sendable {
  case null
  case bool(Bool)
  case int2(Int16)
  case int4(Int32)
  case int8(Int64)
  case text(String)
  case bytes([UInt8])
  case int4s([Int32])
  case int8s([Int64])
  case bools([Bool])
  case texts([String])
  case byteArrays([[UInt8]])
  case bitArrays([PostgresBits])

  /// Nil for NULL.
  var encoded: [UInt8]? {
    switch self {
    case .null: nil
    case .bool(let value): [value ? 1 : 0]
    case .int2(let value): Self.big(value)
    case .int4(let value): Self.big(value)
    case .int8(let value): Self.big(value)
    case .text(let value): Array(value.utf8)
    case .bytes(let value): value
    case .int4s(let values): Self.array(of: 23, values.map(Self.big))
    case .int8s(let values): Self.array(of: 20, values.map(Self.big))
    case .bools(let values): Self.array(of: 16, values.map { [$0 ? 1 : 0] })
    case .texts(let values): Self.array(of: 25, values.map { Array($0.utf8) })
    case .byteArrays(let values): Self.array(of: 17, values)
    case .bitArrays(let values): Self.array(of: 1562, values.map(\.encoded))
    }
  }

  /// - Parameter type: the number of the elements' type in pg_type.
  private static func array(of type: Int32, _ elements: [[UInt8]]) -> [UInt8] {
    // The number of dimensions, that there are no nulls, and the type; then size and first index.
    var bytes = big(Int32(elements.isEmpty ? 0 : 1)) + big(Int32(0)) + big(type)
    if elements.isEmpty { return bytes }
    bytes += big(Int32(elements.count)) + big(Int32(1))
    for element in elements { bytes += big(Int32(element.count)) + element }
    return bytes
  }

  static func big(_ value: some FixedWidthInteger) -> [UInt8] {
    (0..<(value.bitWidth / 8)).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}

/// A string of bits, the first one the highest bit of the first byte.
package struct PostgresBits: Equatable, Sendable {
  package let bytes: [UInt8]
  package let count: Int

  package init(_ bytes: [UInt8], count: Int) {
    self.bytes = bytes
    self.count = count
  }

  var encoded: [UInt8] { PostgresValue.big(Int32(count)) + bytes }
}
