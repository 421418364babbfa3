// SPDX-License-Identifier: Apache-2.0
// A row of a result, in PostgreSQL's binary format. A value that is missing, or has another size than its type,
// reads as zero or empty: the ledger's functions say which columns they return.

internal import Vocabulary

package struct PostgresRow: Equatable, Sendable {
  private let columns: [[UInt8]?]

  init(_ columns: [[UInt8]?]) { self.columns = columns }

  package func isNull(_ column: Int) -> Bool {
    !columns.indices.contains(column) || columns[column] == nil
  }

  package func bytes(_ column: Int) -> [UInt8] {
    columns.indices.contains(column) ? columns[column] ?? [] : []
  }

  /// Empty if it is longer than `most` bytes.
  package func text(_ column: Int, most: Int = OutsideText.longest) -> String {
    OutsideText(bytes(column), most: most)?.text ?? ""
  }

  package func bool(_ column: Int) -> Bool { bytes(column).first == 1 }

  /// Of int2, int4 and int8.
  package func int(_ column: Int) -> Int64 {
    let bytes = bytes(column)
    let value = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let shift = 64 - 8 * min(8, bytes.count)
    return shift == 64 ? 0 : Int64(truncatingIfNeeded: value << shift) >> shift
  }

  /// Of an array of int4 with one dimension and without nulls.
  package func ints(_ column: Int) -> [Int32] {
    let elements = bytes(column).dropFirst(20)
    return stride(from: elements.startIndex, to: elements.endIndex - 7, by: 8).map { place in
      elements[(place + 4)..<(place + 8)].reduce(0) { $0 << 8 | Int32($1) }
    }
  }

  package func bits(_ column: Int) -> PostgresBits {
    let bytes = bytes(column)
    guard bytes.count >= 4 else { return PostgresBits([], count: 0) }
    let count = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    return PostgresBits(Array(bytes.dropFirst(4)), count: min(count, 8 * (bytes.count - 4)))
  }
}
