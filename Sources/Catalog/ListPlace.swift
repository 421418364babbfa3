// SPDX-License-Identifier: Apache-2.0
// A place in a list: a line of an XML property list, a byte of a binary one, a line and a column of any other
// list.

package enum ListPlace: Hashable, Sendable, CustomStringConvertible {
  /// Counted from 1.
  case line(UInt64)
  /// Counted from 1; the column in characters.
  case spot(line: UInt64, column: UInt64)
  /// Counted from 0.
  case byte(UInt64)

  package var description: String {
    switch self {
    case .line(let number): "line \(number)"
    case .spot(let line, let column): "line \(line), column \(column)"
    case .byte(let offset): "byte \(offset)"
    }
  }
}
