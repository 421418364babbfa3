// SPDX-License-Identifier: Apache-2.0
// The contents of a property list or a JSON list as events, in its own order. In a dictionary keys and
// values alternate; the readers ensure that.

package enum ListEvent: Equatable, Sendable {
  case openDictionary
  case openArray
  /// Ends the dictionary or array that was opened last.
  case close
  case key(ListText)
  case string(ListText)
  /// A whole number, as its digits. Only `Quality` may be one.
  case integer(ListText)
  /// A boolean. Only options that are yes or no may be one.
  case flag(Bool)
  /// A value that lists do not use.
  case scalar(Scalar)

  package enum Scalar: Sendable {
    case number
    case date
    case data
    /// Only in binary lists.
    case uid
    /// Only in JSON.
    case null

    package var words: String {
      switch self {
      case .number: "a number"
      case .date: "a date"
      case .data: "data"
      case .uid: "a UID"
      case .null: "null"
      }
    }
  }

  /// The name of the event, for people.
  package var words: String {
    switch self {
    case .openDictionary: "a dictionary"
    case .openArray: "an array"
    case .close: "an end"
    case .key: "a key"
    case .string: "a string"
    case .integer: Scalar.number.words
    case .flag: "true or false"
    case .scalar(let scalar): scalar.words
    }
  }
}
