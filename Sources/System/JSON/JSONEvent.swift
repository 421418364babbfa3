// SPDX-License-Identifier: Apache-2.0
// The contents of a JSON text as events in the order of the text, each with its place.

package enum JSONEvent: Equatable, Sendable {
  case openObject
  case openArray
  /// Ends the object or array that was opened last.
  case close
  case key(JSONText)
  case string(JSONText)
  case int(Int64)
  case double(Double)
  case bool(Bool)
  case null
}

/// A string without its quotes and escapes. Whether its bytes are UTF-8 is for the caller to check.
package struct JSONText: Equatable, Sendable {
  /// The beginning, as far as it is kept.
  package let bytes: [UInt8]
  /// The full length in bytes.
  package let length: Int
}

package struct JSONPlace: Equatable, Sendable {
  /// Counted from 0, in bytes.
  package let offset: Int
  /// Counted from 1.
  package let line: UInt64
  /// Counted from 1, in characters.
  package let column: UInt64
}
