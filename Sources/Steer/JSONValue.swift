// SPDX-License-Identifier: Apache-2.0
// A JSON value. Objects keep the order in which members were added, so that equal values give equal text.
// Whole numbers that fit are Int64, all others Double.

package enum JSONValue: Equatable, Sendable {
  case null
  case bool(Bool)
  case int(Int64)
  case double(Double)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)

  package var string: String? {
    if case .string(let value) = self { value } else { nil }
  }

  package var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  package var int: Int64? {
    if case .int(let value) = self { value } else { nil }
  }

  package var array: [JSONValue]? {
    if case .array(let value) = self { value } else { nil }
  }

  package var object: JSONObject? {
    if case .object(let value) = self { value } else { nil }
  }

  /// An unsigned number; above the largest Int64 it is that.
  package static func count(_ value: some UnsignedInteger) -> JSONValue {
    .int(Int64(clamping: value))
  }
}

/// Members in order, each name once. A lookup takes constant time: an object with few members is searched,
/// which is faster than a table, and the members of an untrusted object are not limited.
package struct JSONObject: Equatable, Sendable {
  private static let few = 16

  package private(set) var members: [(name: String, value: JSONValue)] = []
  /// The places of all members once there are many.
  private var places: [String: Int] = [:]

  package init() {}

  /// The names differ.
  package init(_ members: KeyValuePairs<String, JSONValue>) {
    self.members.reserveCapacity(members.count)
    for (name, value) in members { add(name, value) }
  }

  package subscript(name: String) -> JSONValue? {
    get { place(of: name).map { members[$0].value } }
    set {
      guard let newValue else { return }
      if let place = place(of: name) {
        members[place].value = newValue
      } else {
        add(name, newValue)
      }
    }
  }

  func has(_ name: String) -> Bool { place(of: name) != nil }

  private func place(of name: String) -> Int? {
    members.count > Self.few ? places[name] : members.firstIndex { $0.name == name }
  }

  /// The object has no member of this name.
  mutating func add(_ name: String, _ value: JSONValue) {
    assert(place(of: name) == nil, "two members \(name)")
    members.append((name, value))
    if members.count > Self.few + 1 {
      places[name] = members.count - 1
    } else if members.count > Self.few {
      for (place, member) in members.enumerated() { places[member.name] = place }
    }
  }

  /// The same members with the same values, in any order.
  package static func == (a: JSONObject, b: JSONObject) -> Bool {
    a.members.count == b.members.count && a.members.allSatisfy { b[$0.name] == $0.value }
  }
}

extension JSONValue: ExpressibleByDictionaryLiteral, ExpressibleByStringLiteral,
  ExpressibleByArrayLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral
{
  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    var object = JSONObject()
    for (name, value) in elements { object[name] = value }
    self = .object(object)
  }

  package init(stringLiteral value: String) { self = .string(value) }
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  package init(integerLiteral value: Int64) { self = .int(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
}
