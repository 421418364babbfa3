// SPDX-License-Identifier: Apache-2.0
// Reads one JSON value from untrusted bytes: length, depth, number of values and length of names are limited; UTF-8
// and repeated names are checked strictly. Raises `JSONSyntaxError`.

package import JSON
internal import Vocabulary

package struct JSONReader {
  /// Names of messages are much shorter.
  package static let longestName = 64

  package struct Limits: Sendable {
    package var bytes: Int
    package var depth: Int
    package var values: Int

    package init(bytes: Int = 1 << 20, depth: Int = 32, values: Int = 1 << 16) {
      self.bytes = bytes
      self.depth = depth
      self.values = values
    }
  }

  private let limits: Limits
  private var stream: JSONStream
  private var values = 0

  package static func read(_ bytes: [UInt8], limits: Limits = Limits()) throws(JSONSyntaxError)
    -> JSONValue
  {
    guard bytes.count <= limits.bytes else {
      throw JSONSyntaxError(problem: .tooLong, offset: limits.bytes)
    }
    var reader = JSONReader(bytes, limits)
    let (event, place) = try reader.next()
    let value = try reader.value(event, place)
    _ = try reader.stream.next()
    return value
  }

  private init(_ bytes: [UInt8], _ limits: Limits) {
    self.limits = limits
    stream = JSONStream(depth: limits.depth)
    stream.feed(bytes)
    stream.feed([])
  }

  private mutating func next() throws(JSONSyntaxError) -> (JSONEvent, JSONPlace) {
    guard let next = try stream.next() else {
      throw JSONSyntaxError(problem: .unexpectedEnd, offset: stream.place.offset)
    }
    return next
  }

  private mutating func value(
    _ event: JSONEvent, _ place: JSONPlace
  ) throws(JSONSyntaxError) -> JSONValue {
    values += 1
    guard values <= limits.values else {
      throw JSONSyntaxError(problem: .tooManyValues, offset: place.offset)
    }
    switch event {
    case .openObject: return .object(try object())
    case .openArray: return .array(try array())
    case .string(let text): return .string(try valid(text, place))
    case .int(let value): return .int(value)
    case .double(let value): return .double(value)
    case .bool(let value): return .bool(value)
    // A key or an end never begins a value.
    case .null, .key, .close: return .null
    }
  }

  private mutating func array() throws(JSONSyntaxError) -> [JSONValue] {
    var elements: [JSONValue] = []
    var (event, place) = try next()
    while event != .close {
      elements.append(try value(event, place))
      (event, place) = try next()
    }
    return elements
  }

  private mutating func object() throws(JSONSyntaxError) -> JSONObject {
    var object = JSONObject()
    while case (.key(let text), let start) = try next() {
      guard text.length <= Self.longestName else {
        throw JSONSyntaxError(problem: .longName, offset: start.offset)
      }
      let name = try valid(text, start)
      guard !object.has(name) else {
        throw JSONSyntaxError(problem: .repeatedName, offset: start.offset)
      }
      let (event, place) = try next()
      object.add(name, try value(event, place))
    }
    return object
  }

  private func valid(_ text: JSONText, _ place: JSONPlace) throws(JSONSyntaxError) -> String {
    guard let text = OutsideText(text.bytes, most: .max) else {
      throw JSONSyntaxError(problem: .badString, offset: place.offset)
    }
    return text.text
  }
}
