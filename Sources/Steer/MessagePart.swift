// SPDX-License-Identifier: Apache-2.0
// What a member of a message can be: a text, a number, a flag, a word, another message, an array, or nothing.

internal import Vocabulary

package protocol MessagePart: Sendable {
  /// The type in varlink's language.
  static var varlink: String { get }
  /// True for a value that stands for a missing one.
  static func isNothing(_ json: JSONValue) -> Bool
  /// - Parameter name: of the member, for an error.
  /// - Parameter longest: the most bytes of a text.
  init(_ json: JSONValue, of name: String, _ longest: Int) throws(BadMessage)
  /// Nil leaves the member out.
  var json: JSONValue? { get }
}

extension MessagePart {
  package static func isNothing(_ json: JSONValue) -> Bool { json == .null }
}

extension String: MessagePart {
  package static var varlink: String { "string" }

  package init(_ json: JSONValue, of name: String, _ longest: Int) throws(BadMessage) {
    guard let text = json.string, text.utf8.count <= longest else { throw .member(name) }
    self = text
  }

  package var json: JSONValue? { .string(self) }
}

/// A flag that is missing is off.
extension Bool: MessagePart {
  package static var varlink: String { "bool" }

  package init(_ json: JSONValue, of name: String, _ longest: Int) throws(BadMessage) {
    guard let flag = json == .null ? false : json.bool else { throw .member(name) }
    self = flag
  }

  package var json: JSONValue? { .bool(self) }
}

extension MessagePart where Self: FixedWidthInteger {
  package static var varlink: String { "int" }

  package init(_ json: JSONValue, of name: String, _ longest: Int) throws(BadMessage) {
    guard let int = json.int, int >= 0, let count = Self(exactly: int) else {
      throw .member(name)
    }
    self = count
  }

  /// Above the largest Int64 it is that.
  package var json: JSONValue? { .int(Int64(clamping: self)) }
}

extension Int: MessagePart {}
extension UInt32: MessagePart {}
extension UInt64: MessagePart {}

/// Milliseconds.
extension Duration: MessagePart {
  package static var varlink: String { "int" }

  package init(_ json: JSONValue, of name: String, _ longest: Int) throws(BadMessage) {
    self = .milliseconds(try Int(json, of: name, longest))
  }

  package var json: JSONValue? { .int(milliseconds) }
}

extension Optional: MessagePart where Wrapped: MessagePart {
  package static var varlink: String { "?\(Wrapped.varlink)" }

  package init(_ json: JSONValue, of name: String, _ longest: Int) throws(BadMessage) {
    self = Wrapped.isNothing(json) ? .none : .some(try Wrapped(json, of: name, longest))
  }

  package var json: JSONValue? { flatMap(\.json) }
}

extension Array: MessagePart where Element: MessagePart {
  package static var varlink: String { "[]\(Element.varlink)" }

  package init(_ json: JSONValue, of name: String, _ longest: Int) throws(BadMessage) {
    guard let values = json.array else { throw .member(name) }
    self = try values.map { (json) throws(BadMessage) in try Element(json, of: name, longest) }
  }

  package var json: JSONValue? { .array(compactMap(\.json)) }
}

/// A word that both sides know.
extension MessagePart where Self: RawRepresentable<String> {
  package static var varlink: String { "string" }

  package init(_ json: JSONValue, of name: String, _ longest: Int) throws(BadMessage) {
    guard let word = Self(rawValue: try String(json, of: name, longest)) else {
      throw .member(name)
    }
    self = word
  }

  package var json: JSONValue? { .string(rawValue) }
}

extension SeenState: MessagePart {
  package static var varlink: String { "PhotoState" }
  /// An empty word stands for any state.
  package static func isNothing(_ json: JSONValue) -> Bool { json == .null || json == "" }
}

extension ServiceClass: MessagePart {
  package static var varlink: String { "ServiceClass" }

  package init(_ json: JSONValue, of name: String, _ longest: Int) throws(BadMessage) {
    guard let level = Self(name: try String(json, of: name, longest)) else {
      throw .member(name)
    }
    self = level
  }

  package var json: JSONValue? { .string(name) }
}

extension ListReference: MessagePart {
  package static var varlink: String { "string" }
  /// An empty name stands for any list.
  package static func isNothing(_ json: JSONValue) -> Bool { json == .null || json == "" }

  package init(_ json: JSONValue, of name: String, _ longest: Int) throws(BadMessage) {
    self.init(try String(json, of: name, longest))
  }

  package var json: JSONValue? { .string(text) }
}
