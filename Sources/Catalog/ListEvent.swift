// SPDX-License-Identifier: Apache-2.0
// What a property list says, piece by piece and in its own order, whatever form it is written in.
// In a dictionary a key and a value alternate; the readers see to that.

package enum ListEvent: Equatable, Sendable {
  case openDictionary
  case openArray
  /// Ends the dictionary or array that was opened last.
  case close
  case key(ListText)
  case string(ListText)
  /// A whole number, as its digits: what only an option may be.
  case integer(ListText)
  /// A value that no list has a use for; which one, for people: `a number`.
  case scalar(Scalar)

  package enum Scalar: Sendable {
    case number
    case bool
    case date
    case data
    /// Only in binary lists.
    case uid

    package var words: String {
      switch self {
      case .number: "a number"
      case .bool: "true or false"
      case .date: "a date"
      case .data: "data"
      case .uid: "a UID"
      }
    }
  }

  /// What it is, for people.
  package var words: String {
    switch self {
    case .openDictionary: "a dictionary"
    case .openArray: "an array"
    case .close: "an end"
    case .key: "a key"
    case .string: "a string"
    case .integer: Scalar.number.words
    case .scalar(let scalar): scalar.words
    }
  }
}
