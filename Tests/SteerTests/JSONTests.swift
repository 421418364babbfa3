// SPDX-License-Identifier: Apache-2.0
// JSON as callers may send it, valid or not.

import JSON
import Steer
import Testing

struct JSONTests {
  @Test(
    "text that is read and written again is the same",
    arguments: [
      "null", "true", "false", "0", "-1", "9223372036854775807", "-9223372036854775808", "0.5",
      "\"\"", "\"Grüße 🌄\"", "[]", "{}", "[1,[2,[3,{}]]]", "{\"b\":1,\"a\":2}",
      "{\"text\":\"a\\\"b\\\\c\\n\\t\\r\\u0000\\u001f\\u007f\"}",
    ])
  func roundTrip(text: String) throws {
    #expect(JSONWriter.text(try JSONReader.read(Array(text.utf8))) == text)
  }

  @Test(
    "other spellings of a value are read as the value",
    arguments: [
      (" \t\r\n[ 1 , 2 ] ", JSONValue.array([1, 2])),
      ("\"\\u00e9\\/\\b\\f\"", "é/\u{8}\u{c}"), ("\"\\ud83c\\udf04\"", "🌄"),
      ("1e3", .double(1000)), ("-0", .int(0)), ("18446744073709551616", .double(0x1p64)),
    ])
  func spelling(text: String, value: JSONValue) throws {
    #expect(try JSONReader.read(Array(text.utf8)) == value)
  }

  @Test(
    "text that is not JSON is refused, with the place of the first wrong byte",
    arguments: [
      ("", JSONSyntaxError.Problem.unexpectedEnd, 0), ("x", .unexpectedByte, 0),
      ("[1,]", .unexpectedByte, 3), ("{\"a\":1,}", .unexpectedByte, 7),
      ("{a:1}", .unexpectedByte, 1), ("01", .unexpectedByte, 1), ("1.", .unexpectedEnd, 2),
      ("1.x", .badNumber, 2), ("1e999", .badNumber, 0), ("+1", .unexpectedByte, 0),
      ("NaN", .unexpectedByte, 0), ("truE", .unexpectedByte, 3), ("1 2", .unexpectedByte, 2),
      ("\"a\nb\"", .badString, 2), ("\"\\x\"", .badString, 2), ("\"\\ud800\"", .unexpectedByte, 7),
      ("\"\\udc00\"", .badString, 7), ("\"\\ud800\\u0041\"", .badString, 13),
      ("\"\\u00g0\"", .badString, 5),
      ("{\"a\":1,\"a\":2}", .repeatedName, 7), ("[1]]", .unexpectedByte, 3),
      ("\u{feff}1", .unexpectedByte, 0),
    ])
  func malformed(text: String, problem: JSONSyntaxError.Problem, offset: Int) {
    #expect(throws: JSONSyntaxError(problem: problem, offset: offset)) {
      try JSONReader.read(Array(text.utf8))
    }
  }

  @Test(
    "strings that are not UTF-8 are refused",
    arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82]] as [[UInt8]])
  func brokenText(bytes: [UInt8]) {
    #expect(throws: JSONSyntaxError(problem: .badString, offset: 0)) {
      try JSONReader.read([0x22] + bytes + [0x22])
    }
  }

  @Test
  func `a message cut off anywhere is refused`() {
    let text = Array(
      "{\"a\":[1,-2.5e-3,true,null],\"b\":{\"c\":\"\\ud83c\\udf04 Grüße\"},\"d\":false}".utf8)
    #expect(throws: Never.self) { try JSONReader.read(text) }
    for length in 0..<text.count {
      #expect(throws: JSONSyntaxError.self) { try JSONReader.read(Array(text[..<length])) }
    }
  }

  @Test
  func `values nested 32 levels deep are read, one more level is refused`() throws {
    func nested(_ depth: Int) -> [UInt8] {
      [UInt8](repeating: UInt8(ascii: "["), count: depth)
        + [UInt8](repeating: UInt8(ascii: "]"), count: depth)
    }
    _ = try JSONReader.read(nested(32))
    #expect(throws: JSONSyntaxError(problem: .tooDeep, offset: 32)) {
      try JSONReader.read(nested(33))
    }
    #expect(throws: JSONSyntaxError(problem: .tooDeep, offset: 32)) {
      try JSONReader.read(nested(200_000))
    }
    func objects(_ depth: Int) -> [UInt8] {
      let head = [[UInt8]](repeating: Array("{\"a\":".utf8), count: depth - 1).flatMap { $0 }
      return head + Array("{}".utf8) + [UInt8](repeating: UInt8(ascii: "}"), count: depth - 1)
    }
    _ = try JSONReader.read(objects(32))
    #expect(throws: JSONSyntaxError(problem: .tooDeep, offset: 160)) {
      try JSONReader.read(objects(33))
    }
  }

  @Test func `text is not written far beyond its limit`() {
    let word = JSONValue.string("0123456789")
    for part in [word, ["a": word], [word, ["a": word]]] {
      let value = JSONValue.array(Array(repeating: part, count: 10_000))
      let whole = JSONWriter.bytes(value)
      #expect(JSONWriter.bytes(value, upTo: whole.count) == whole)
      let cut = JSONWriter.bytes(value, upTo: 1000)
      #expect(1000 < cut.count && cut.count < 1100)
    }
  }

  @Test
  func `too many bytes and too many values are refused`() {
    let text = Array("[1,2,3]".utf8)
    #expect(throws: JSONSyntaxError(problem: .tooLong, offset: 6)) {
      try JSONReader.read(text, limits: .init(bytes: 6))
    }
    #expect(throws: JSONSyntaxError(problem: .tooManyValues, offset: 5)) {
      try JSONReader.read(text, limits: .init(values: 3))
    }
  }

  @Test
  func `infinity and not-a-number are written as null`() {
    #expect(JSONWriter.text([.double(.infinity), .double(.nan)]) == "[null,null]")
    #expect(JSONWriter.text(.count(UInt64.max)) == "9223372036854775807")
  }
}
