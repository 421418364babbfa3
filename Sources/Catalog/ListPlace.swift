// SPDX-License-Identifier: Apache-2.0
// A place in a list: a line of an XML list, a byte of a binary one.

package enum ListPlace: Hashable, Sendable, CustomStringConvertible {
  /// Counted from 1.
  case line(UInt64)
  /// Counted from 0.
  case byte(UInt64)

  package var description: String {
    switch self {
    case .line(let number): "line \(number)"
    case .byte(let offset): "byte \(offset)"
    }
  }
}
