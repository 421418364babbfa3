// SPDX-License-Identifier: Apache-2.0
// Reads the members of a message's parameters by name and type. Unknown members are ignored, so that both
// sides can add some. The texts of a request are short: lists, photos, hosts, tokens and viewers have names that are
// compared with many others. Raises `FieldError`, which names the missing or invalid member.

internal import Vocabulary

package struct FieldError: Error, Equatable, Sendable {
  package let name: String
}

/// A value sent in messages.
package protocol MessageValue: Equatable, Sendable {
  init(_ fields: MessageFields) throws(FieldError)
  var object: JSONObject { get }
}

package struct MessageFields: Sendable {
  private let object: JSONObject
  /// Of a text, in bytes.
  private let longest: Int

  /// The members of a reply.
  package init(_ object: JSONObject) { self.init(object, longest: .max) }

  package init(request object: JSONObject) { self.init(object, longest: OutsideText.longest) }

  private init(_ object: JSONObject, longest: Int) {
    (self.object, self.longest) = (object, longest)
  }

  package func string(_ name: String) throws(FieldError) -> String {
    guard let value = object[name]?.string, value.utf8.count <= longest else {
      throw FieldError(name: name)
    }
    return value
  }

  /// Returns the fallback for a missing or null member.
  package func string(_ name: String, or fallback: String) throws(FieldError) -> String {
    isMissing(name) ? fallback : try string(name)
  }

  package func count<Count: FixedWidthInteger>(_ name: String) throws(FieldError) -> Count {
    guard let value = object[name]?.int, let count = Count(exactly: value), count >= 0 else {
      throw FieldError(name: name)
    }
    return count
  }

  package func count<Count: FixedWidthInteger>(_ name: String, or fallback: Count)
    throws(FieldError) -> Count
  {
    isMissing(name) ? fallback : try count(name)
  }

  package func strings(_ name: String) throws(FieldError) -> [String] {
    guard let values = object[name]?.array else { throw FieldError(name: name) }
    return try values.map { (value) throws(FieldError) in
      guard let string = value.string, string.utf8.count <= longest else {
        throw FieldError(name: name)
      }
      return string
    }
  }

  package func counts<Count: FixedWidthInteger>(_ name: String) throws(FieldError) -> [Count] {
    guard let values = object[name]?.array else { throw FieldError(name: name) }
    return try values.map { (value) throws(FieldError) in
      guard let int = value.int, let count = Count(exactly: int) else {
        throw FieldError(name: name)
      }
      return count
    }
  }

  package func value<Value: MessageValue>(_ name: String) throws(FieldError) -> Value {
    guard let object = object[name]?.object else { throw FieldError(name: name) }
    return try Value(MessageFields(object, longest: longest))
  }

  package func values<Value: MessageValue>(_ name: String) throws(FieldError) -> [Value] {
    guard let values = object[name]?.array else { throw FieldError(name: name) }
    return try values.map { (value) throws(FieldError) in
      guard let object = value.object else { throw FieldError(name: name) }
      return try Value(MessageFields(object, longest: longest))
    }
  }

  /// Returns false for a missing or null member.
  package func flag(_ name: String) throws(FieldError) -> Bool {
    if isMissing(name) { return false }
    guard case .bool(let flag) = object[name] else { throw FieldError(name: name) }
    return flag
  }

  package func isMissing(_ name: String) -> Bool {
    guard let value = object[name] else { return true }
    return value == .null
  }
}

extension JSONValue {
  static func value(_ value: some MessageValue) -> JSONValue { .object(value.object) }

  static func values(_ values: [some MessageValue]) -> JSONValue {
    .array(values.map { .object($0.object) })
  }
}
