// SPDX-License-Identifier: Apache-2.0
// The change made to a picture, in the syntax of CSS filters. The only function is sepia.
// Raises `TextProblem`, worded for the author of the list.

package enum FilterFunction: Hashable, Sendable, CustomStringConvertible {
  /// The W3C sepia matrix at an amount from 0 (unchanged) to 1, kept in thousandths so that equal
  /// settings are equal values.
  case sepia(thousandths: Int)

  package static let standard = FilterFunction.sepia(thousandths: 800)

  package var amount: Double {
    switch self {
    case .sepia(let thousandths): Double(thousandths) / 1000
    }
  }

  package var description: String {
    switch self {
    case .sepia(let thousandths): "sepia(\(Self.decimal(thousandths)))"
    }
  }

  /// Reads `sepia(0.8)`, `sepia(80%)` or `sepia()`. An amount above 1 becomes 1, as in CSS.
  package init(parsing text: String) throws(TextProblem) {
    let bytes = Array(text.utf8.drop(while: Self.isSpace))
    guard let open = bytes.firstIndex(of: UInt8(ascii: "(")) else {
      throw Self.noArguments
    }
    let name = String(decoding: bytes[..<open], as: UTF8.self)
    guard name == "sepia" else {
      throw TextProblem(
        "there is no filter '\(Printable.text(name, limit: 40))'; the only one is sepia(AMOUNT)")
    }
    guard let close = bytes.firstIndex(of: UInt8(ascii: ")")),
      bytes[(close + 1)...].allSatisfy(Self.isSpace)
    else { throw Self.noArguments }
    let inside = bytes[(open + 1)..<close].filter { !Self.isSpace($0) }
    if inside.isEmpty {
      self = .sepia(thousandths: 1000)
      return
    }
    guard let thousandths = Self.thousandths(inside) else {
      throw TextProblem(
        "the amount is a number from 0 to 1 or a percentage, for example sepia(0.8) or sepia(80%)")
    }
    self = .sepia(thousandths: min(thousandths, 1000))
  }

  private static let noArguments = TextProblem(
    "a filter is written as in CSS, for example sepia(0.8) or sepia(80%)")

  /// A plain number or percentage of at most eight digits, rounded to thousandths.
  private static func thousandths(_ bytes: [UInt8]) -> Int? {
    let isPercent = bytes.last == UInt8(ascii: "%")
    let digits = isPercent ? bytes.dropLast() : bytes[...]
    var value = 0
    var decimals: Int?
    var count = 0
    for byte in digits {
      if byte == UInt8(ascii: "."), decimals == nil {
        decimals = 0
        continue
      }
      guard byte >= 0x30, byte <= 0x39, count < 8 else { return nil }
      value = value * 10 + Int(byte - 0x30)
      count += 1
      decimals = decimals.map { $0 + 1 }
    }
    guard count > 0, decimals != 0 else { return nil }
    var scale = 1
    for _ in 0..<(decimals ?? 0) { scale *= 10 }
    let divisor = isPercent ? scale * 100 : scale
    return (value * 1000 + divisor / 2) / divisor
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private static func decimal(_ thousandths: Int) -> String {
    let whole = thousandths / 1000
    var rest = String(thousandths % 1000 + 1000).dropFirst()
    while rest.last == "0" { rest.removeLast() }
    return rest.isEmpty ? String(whole) : "\(whole).\(rest)"
  }
}
