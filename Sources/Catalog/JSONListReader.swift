// SPDX-License-Identifier: Apache-2.0
// Reads a list in JSON as events, in the same forms as a property list. Raises `list.syntax`,
// `list.truncated`, `list.limit`, and the errors of the source and the builder.

internal import JSON
internal import Vocabulary

struct JSONListReader {
  private var source: ListSource
  private var builder: ListBuilder
  private var stream: JSONStream

  init(_ source: ListSource, _ builder: consuming ListBuilder, limits: ListLimits) {
    self.source = source
    self.builder = builder
    stream = JSONStream(
      depth: ListForm.deepest, longestText: Int(max(limits.keyBytes, limits.valueBytes)))
  }

  mutating func read() throws(Failure) {
    var bytes: [UInt8]
    repeat {
      bytes = try source.next()
      stream.feed(bytes)
      while let (event, place) = try next() {
        try builder.take(
          Self.event(event), at: .spot(line: place.line, column: place.column))
      }
    } while !bytes.isEmpty
    guard stream.isOver else {
      throw ListRefusal.truncated("\(place): the file ends in the middle")
    }
    try builder.finish()
  }

  private var place: ListPlace {
    .spot(line: stream.place.line, column: stream.place.column)
  }

  private mutating func next() throws(Failure) -> (JSONEvent, JSONPlace)? {
    do throws(JSONSyntaxError) { return try stream.next() } catch {
      switch error.problem {
      case .unexpectedEnd: throw ListRefusal.truncated("\(place): the file ends in the middle")
      case .tooDeep: throw ListRefusal.tooDeep(place)
      case .unexpectedByte where stream.isOver: throw ListRefusal.afterJSON(place)
      case .unexpectedByte:
        guard let (found, wanted) = stream.surprise else { fallthrough }
        throw ListRefusal.json(place, found, wanted)
      default: throw ListRefusal.syntax(place, "it is not valid JSON (\(error.problem.rawValue))")
      }
    }
  }

  private static func event(_ event: JSONEvent) -> ListEvent {
    switch event {
    case .openObject: .openDictionary
    case .openArray: .openArray
    case .close: .close
    case .key(let text): .key(ListText(text.bytes, length: UInt64(text.length)))
    case .string(let text): .string(ListText(text.bytes, length: UInt64(text.length)))
    case .int(let number): .integer(ListText("\(number)"))
    case .double: .scalar(.number)
    case .bool(let value): .flag(value)
    case .null: .scalar(.null)
    }
  }
}
