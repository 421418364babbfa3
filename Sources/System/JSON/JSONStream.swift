// SPDX-License-Identifier: Apache-2.0
// Reads one JSON value (RFC 8259) from untrusted bytes as events: the bytes come in pieces of any size, and
// memory does not grow with the text. Strict; the depth is limited, and strings are kept up to a limit. Does
// not recurse. Raises `JSONSyntaxError`.

package struct JSONStream {
  private enum Expected {
    case value
    /// After `[`.
    case valueOrEnd
    case key
    /// After `{`.
    case keyOrEnd
    case colon
    case commaOrEnd
    /// After the value.
    case end
  }

  /// The longest number, escape or word; a longer one is refused.
  private static let longestToken = 512

  private let depth: Int
  private let longestText: Int
  private var expected = Expected.value
  /// The open containers, true for an object.
  private var isObject: [Bool] = []
  /// The string being read, which may continue in the next piece.
  private var string: (isKey: Bool, start: JSONPlace)?
  private var text: [UInt8] = []
  private var length = 0

  private var input: [UInt8] = []
  private var position = 0
  private var isLast = false
  /// The offset of the input.
  private var base = 0
  private var line: UInt64 = 1
  private var lineStart = 0
  /// The bytes on this line that continue a character.
  private var continuations = 0

  /// `longestText` limits the bytes that are kept of a string.
  package init(depth: Int, longestText: Int = .max) {
    self.depth = depth
    self.longestText = longestText
  }

  /// Adds the next piece of the text; an empty one is its end.
  package mutating func feed(_ bytes: [UInt8]) {
    if bytes.isEmpty { isLast = true }
    base += position
    input = position == input.count ? bytes : Array(input[position...]) + bytes
    position = 0
  }

  /// The place of the next byte; after an error, the place of the wrong byte.
  package var place: JSONPlace { place(of: base + position) }

  /// Nil if it needs the next piece, and at the end of the text.
  package mutating func next() throws(JSONSyntaxError) -> (JSONEvent, JSONPlace)? {
    while string == nil {
      skipSpace()
      guard let byte = peek else { return nil }
      switch expected {
      case .end: throw problem(.unexpectedByte)
      case .colon:
        try take(UInt8(ascii: ":"))
        expected = .value
      case .commaOrEnd:
        if byte == end { return close() }
        try take(UInt8(ascii: ","))
        expected = isObject.last == true ? .key : .value
      case .valueOrEnd where byte == end, .keyOrEnd where byte == end: return close()
      case .key, .keyOrEnd:
        guard byte == UInt8(ascii: "\"") else { throw problem(.unexpectedByte) }
        begin(isKey: true)
      case .value, .valueOrEnd:
        guard byte == UInt8(ascii: "\"") else {
          return try value(byte)
        }
        begin(isKey: false)
      }
    }
    return try readString()
  }

  /// The value was read.
  package var isOver: Bool { if case .end = expected { true } else { false } }

  /// After an unexpected character: the character, and the one that belongs there, in words.
  package var surprise: (found: Character, wanted: String)? {
    let bytes = input[min(position, input.count)..<min(position + 4, input.count)]
    guard let found = String(decoding: bytes, as: UTF8.self).first else { return nil }
    let closing = "'\(Character(Unicode.Scalar(end)))'"
    return switch expected {
    case .end: nil
    case .colon: (found, "':'")
    case .commaOrEnd: (found, "',' or \(closing)")
    case .key: (found, "a name")
    case .keyOrEnd: (found, "a name or \(closing)")
    case .value: (found, "a value")
    case .valueOrEnd: (found, "a value or \(closing)")
    }
  }

  private var peek: UInt8? { position < input.count ? input[position] : nil }

  /// The end of the innermost container.
  private var end: UInt8 { isObject.last == true ? UInt8(ascii: "}") : UInt8(ascii: "]") }

  private func place(of offset: Int) -> JSONPlace {
    JSONPlace(
      offset: offset, line: line, column: UInt64(max(0, offset - lineStart - continuations)) + 1)
  }

  private func problem(_ problem: JSONSyntaxError.Problem) -> JSONSyntaxError {
    JSONSyntaxError(problem: problem, offset: base + position)
  }

  private mutating func skipSpace() {
    while position < input.count {
      let byte = input[position]
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
      position += 1
      if byte == 0x0A {
        line += 1
        lineStart = base + position
        continuations = 0
      }
    }
  }

  private mutating func take(_ byte: UInt8) throws(JSONSyntaxError) {
    guard let found = peek else { throw problem(.unexpectedEnd) }
    guard found == byte else { throw problem(.unexpectedByte) }
    position += 1
  }

  /// Takes the byte if it comes next.
  private mutating func has(_ byte: UInt8) -> Bool {
    guard peek == byte else { return false }
    position += 1
    return true
  }

  // MARK: Values

  private mutating func value(_ byte: UInt8) throws(JSONSyntaxError) -> (JSONEvent, JSONPlace)? {
    let start = place
    if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
      guard isObject.count < depth else { throw problem(.tooDeep) }
      position += 1
      let opensObject = byte == UInt8(ascii: "{")
      isObject.append(opensObject)
      expected = opensObject ? .keyOrEnd : .valueOrEnd
      return (opensObject ? .openObject : .openArray, start)
    }
    guard isLast || input.count - position >= Self.longestToken else { return nil }
    let event =
      switch byte {
      case UInt8(ascii: "t"): try word("true", .bool(true))
      case UInt8(ascii: "f"): try word("false", .bool(false))
      case UInt8(ascii: "n"): try word("null", .null)
      default: try number()
      }
    endValue()
    return (event, start)
  }

  private mutating func close() -> (JSONEvent, JSONPlace) {
    let start = place
    position += 1
    isObject.removeLast()
    endValue()
    return (.close, start)
  }

  private mutating func endValue() { expected = isObject.isEmpty ? .end : .commaOrEnd }

  private mutating func word(
    _ word: StaticString, _ event: JSONEvent
  ) throws(JSONSyntaxError) -> JSONEvent {
    for byte in "\(word)".utf8 { try take(byte) }
    return event
  }

  // MARK: Strings

  private mutating func begin(isKey: Bool) {
    string = (isKey, place)
    position += 1
    text.removeAll(keepingCapacity: true)
    length = 0
  }

  private mutating func readString() throws(JSONSyntaxError) -> (JSONEvent, JSONPlace)? {
    takeRun()
    while peek == UInt8(ascii: "\\") {
      guard isLast || input.count - position >= Self.longestToken else { return nil }
      position += 1
      keep(try escape())
      takeRun()
    }
    guard let byte = peek else {
      if isLast { throw problem(.unexpectedEnd) }
      return nil
    }
    guard byte == UInt8(ascii: "\""), let (isKey, start) = string else {
      throw problem(.badString)
    }
    position += 1
    string = nil
    let text = JSONText(bytes: text, length: length)
    if isKey { expected = .colon } else { endValue() }
    return (isKey ? .key(text) : .string(text), start)
  }

  /// Takes all bytes up to a quotation mark, a backslash, a control character or the end of the piece.
  private mutating func takeRun() {
    let start = position
    while position < input.count {
      let byte = input[position]
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
      if byte & 0xC0 == 0x80 { continuations += 1 }
      position += 1
    }
    keep(input[start..<position])
  }

  private mutating func keep(_ bytes: some Collection<UInt8>) {
    length += bytes.count
    text.append(contentsOf: bytes.prefix(max(0, longestText - text.count)))
  }

  private mutating func escape() throws(JSONSyntaxError) -> [UInt8] {
    guard let byte = peek else { throw problem(.unexpectedEnd) }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"): return Array(String(Character(try scalar())).utf8)
    default:
      position -= 1
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
      guard let byte = peek else { throw problem(.unexpectedEnd) }
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
        throw problem(.badString)
      }
      unit = unit << 4 | UInt32(digit)
      position += 1
    }
    return unit
  }

  // MARK: Numbers

  private mutating func number() throws(JSONSyntaxError) -> JSONEvent {
    let start = position
    _ = has(UInt8(ascii: "-"))
    if !has(UInt8(ascii: "0")) {
      guard let byte = peek else { throw problem(.unexpectedEnd) }
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
    let digits = String(decoding: input[start..<position], as: UTF8.self)
    if isWhole, let value = Int64(digits) { return .int(value) }
    guard digits.utf8.count <= 64, let value = Double(digits), value.isFinite else {
      position = start
      throw problem(.badNumber)
    }
    return .double(value)
  }

  private mutating func digits() {
    while let byte = peek, byte >= 0x30, byte <= 0x39 { position += 1 }
  }

  private mutating func someDigits() throws(JSONSyntaxError) {
    guard let byte = peek else { throw problem(.unexpectedEnd) }
    guard byte >= 0x30, byte <= 0x39 else { throw problem(.badNumber) }
    digits()
  }
}
