// SPDX-License-Identifier: Apache-2.0
// Reads one JSON value (RFC 8259) from untrusted bytes: length, depth and number of values are limited;
// UTF-8, surrogates, numbers and repeated names are checked strictly. Raises `JSONSyntaxError`.

package struct JSONReader {
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

  private let bytes: [UInt8]
  private let limits: Limits
  private var offset = 0
  private var values = 0

  package static func read(_ bytes: [UInt8], limits: Limits = Limits()) throws(JSONSyntaxError)
    -> JSONValue
  {
    guard bytes.count <= limits.bytes else {
      throw JSONSyntaxError(problem: .tooLong, offset: limits.bytes)
    }
    var reader = JSONReader(bytes: bytes, limits: limits)
    reader.skipSpace()
    let value = try reader.value(depth: 1)
    reader.skipSpace()
    if reader.offset < bytes.count { throw reader.problem(.unexpectedByte) }
    return value
  }

  private init(bytes: [UInt8], limits: Limits) {
    self.bytes = bytes
    self.limits = limits
  }

  private func problem(_ problem: JSONSyntaxError.Problem) -> JSONSyntaxError {
    JSONSyntaxError(problem: problem, offset: offset)
  }

  private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      offset += 1
    }
  }

  private mutating func take(_ byte: UInt8) throws(JSONSyntaxError) {
    guard let found = next else { throw problem(.unexpectedEnd) }
    guard found == byte else { throw problem(.unexpectedByte) }
    offset += 1
  }

  /// Takes the byte if it comes next.
  private mutating func has(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    offset += 1
    return true
  }

  private mutating func value(depth: Int) throws(JSONSyntaxError) -> JSONValue {
    guard let byte = next else { throw problem(.unexpectedEnd) }
    values += 1
    guard values <= limits.values else { throw problem(.tooManyValues) }
    switch byte {
    case UInt8(ascii: "{"):
      guard depth <= limits.depth else { throw problem(.tooDeep) }
      return .object(try object(depth: depth))
    case UInt8(ascii: "["):
      guard depth <= limits.depth else { throw problem(.tooDeep) }
      return .array(try array(depth: depth))
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return try number()
    }
  }

  private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONSyntaxError)
    -> JSONValue
  {
    for byte in "\(word)".utf8 { try take(byte) }
    return value
  }

  private mutating func array(depth: Int) throws(JSONSyntaxError) -> [JSONValue] {
    offset += 1
    var elements: [JSONValue] = []
    skipSpace()
    var isOver = has(UInt8(ascii: "]"))
    while !isOver {
      skipSpace()
      elements.append(try value(depth: depth + 1))
      isOver = try isLast(before: UInt8(ascii: "]"))
    }
    return elements
  }

  private mutating func object(depth: Int) throws(JSONSyntaxError) -> JSONObject {
    offset += 1
    var object = JSONObject()
    skipSpace()
    var isOver = has(UInt8(ascii: "}"))
    while !isOver {
      skipSpace()
      guard next == nil || next == UInt8(ascii: "\"") else { throw problem(.unexpectedByte) }
      let start = offset
      let name = try string()
      guard !object.has(name) else {
        throw JSONSyntaxError(problem: .repeatedName, offset: start)
      }
      skipSpace()
      try take(UInt8(ascii: ":"))
      skipSpace()
      object.add(name, try value(depth: depth + 1))
      isOver = try isLast(before: UInt8(ascii: "}"))
    }
    return object
  }

  /// Takes the end of the container, or the comma before its next element.
  private mutating func isLast(before end: UInt8) throws(JSONSyntaxError) -> Bool {
    skipSpace()
    if has(end) { return true }
    try take(UInt8(ascii: ","))
    return false
  }

  // MARK: Strings

  private mutating func string() throws(JSONSyntaxError) -> String {
    let start = offset
    try take(UInt8(ascii: "\""))
    let run = takeRun()
    if has(UInt8(ascii: "\"")) { return try valid(run, start) }
    var text = Array(run)
    while let byte = next {
      offset += 1
      switch byte {
      case UInt8(ascii: "\""): return try valid(ArraySlice(text), start)
      case UInt8(ascii: "\\"): try escape(into: &text)
      default:
        offset -= 1
        throw problem(.badString)
      }
      text.append(contentsOf: takeRun())
    }
    throw problem(.unexpectedEnd)
  }

  /// Takes all bytes up to a quotation mark, a backslash, a control character or the end.
  private mutating func takeRun() -> ArraySlice<UInt8> {
    let start = offset
    while offset < bytes.count {
      let byte = bytes[offset]
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
      offset += 1
    }
    return bytes[start..<offset]
  }

  private func valid(_ text: ArraySlice<UInt8>, _ start: Int) throws(JSONSyntaxError) -> String {
    // Validation is slow, and most text needs none.
    if text.allSatisfy({ $0 < 0x80 }) { return String(decoding: text, as: UTF8.self) }
    guard let string = String(validating: text, as: UTF8.self) else {
      throw JSONSyntaxError(problem: .badString, offset: start)
    }
    return string
  }

  private mutating func escape(into text: inout [UInt8]) throws(JSONSyntaxError) {
    guard let byte = next else { throw problem(.unexpectedEnd) }
    offset += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): text.append(contentsOf: Array(String(Character(try scalar())).utf8))
    default:
      offset -= 1
      throw problem(.badString)
    }
  }

  /// Reads the part after `\u`: one unit, or a pair of surrogates.
  private mutating func scalar() throws(JSONSyntaxError) -> Unicode.Scalar {
    let high = try unit()
    if let scalar = Unicode.Scalar(high) { return scalar }
    guard high < 0xDC00 else { throw problem(.badString) }
    try take(UInt8(ascii: "\\"))
    try take(UInt8(ascii: "u"))
    let low = try unit()
    guard low >= 0xDC00, low < 0xE000,
      let scalar = Unicode.Scalar(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    else { throw problem(.badString) }
    return scalar
  }

  private mutating func unit() throws(JSONSyntaxError) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next else { throw problem(.unexpectedEnd) }
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
        throw problem(.badString)
      }
      unit = unit << 4 | UInt32(digit)
      offset += 1
    }
    return unit
  }

  // MARK: Numbers

  private mutating func number() throws(JSONSyntaxError) -> JSONValue {
    let start = offset
    _ = has(UInt8(ascii: "-"))
    if !has(UInt8(ascii: "0")) {
      guard let byte = next else { throw problem(.unexpectedEnd) }
      guard byte >= 0x31, byte <= 0x39 else { throw problem(.unexpectedByte) }
      digits()
    }
    var isWhole = true
    if has(UInt8(ascii: ".")) {
      isWhole = false
      try someDigits()
    }
    if has(UInt8(ascii: "e")) || has(UInt8(ascii: "E")) {
      isWhole = false
      if !has(UInt8(ascii: "+")) { _ = has(UInt8(ascii: "-")) }
      try someDigits()
    }
    if isWhole, offset - start < 18, bytes[start] != UInt8(ascii: "-") {
      return .int(bytes[start..<offset].reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) })
    }
    let text = String(decoding: bytes[start..<offset], as: UTF8.self)
    if isWhole, let value = Int64(text) { return .int(value) }
    guard text.utf8.count <= 64, let value = Double(text), value.isFinite else {
      throw JSONSyntaxError(problem: .badNumber, offset: start)
    }
    return .double(value)
  }

  private mutating func digits() {
    while let byte = next, byte >= 0x30, byte <= 0x39 { offset += 1 }
  }

  private mutating func someDigits() throws(JSONSyntaxError) {
    guard let byte = next else { throw problem(.unexpectedEnd) }
    guard byte >= 0x30, byte <= 0x39 else { throw problem(.badNumber) }
    digits()
  }
}
