// SPDX-License-Identifier: Apache-2.0
// From the text of a setting to its value, as systemd writes sizes, durations and lists. Raises
// `SettingProblem`, worded for whoever wrote the file.

import Vocabulary

struct SettingProblem: Error, Equatable, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

enum SettingValue {
  static func count(_ text: String, from least: Int, to most: Int) throws(SettingProblem) -> Int {
    guard let value = Int(text), value >= least, value <= most else {
      throw SettingProblem("a whole number from \(least) to \(most) is wanted, not '\(text)'")
    }
    return value
  }

  /// `64M`, `1G`, `4096`: the letters stand for powers of 1024.
  static func size(_ text: String, from least: UInt64, to most: UInt64) throws(SettingProblem)
    -> UInt64
  {
    let units: [Character: UInt64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40]
    let unit = text.last.flatMap { units[$0] }
    let digits = unit == nil ? text[...] : text.dropLast()
    guard let number = UInt64(digits) else {
      throw SettingProblem("a size is written as 4096, 64K, 64M or 1G, not '\(text)'")
    }
    let (value, isTooLarge) = number.multipliedReportingOverflow(by: unit ?? 1)
    guard !isTooLarge, value >= least, value <= most else {
      throw SettingProblem("a size from \(words(least)) to \(words(most)) is wanted, not '\(text)'")
    }
    return value
  }

  /// `250ms`, `5s`, `1min 30s`, `2h`; a number alone counts seconds.
  static func duration(_ text: String, from least: Duration, to most: Duration)
    throws(SettingProblem) -> Duration
  {
    let wrong = SettingProblem(
      "a time is written as 250ms, 5s, 10min, 1h 30min or 1d, not '\(text)'")
    var total = Duration.zero
    let parts = text.split(separator: " ")
    if parts.isEmpty { throw wrong }
    for part in parts {
      let digits = part.prefix { $0.isASCII && $0.isNumber }
      guard let number = Int64(digits), number < 1_000_000_000 else { throw wrong }
      switch part.dropFirst(digits.count) {
      case "ms": total += .milliseconds(number)
      case "s", "": total += .seconds(number)
      case "min", "m": total += .seconds(number * 60)
      case "h": total += .seconds(number * 3600)
      case "d": total += .seconds(number * 86400)
      default: throw wrong
      }
    }
    guard total >= least, total <= most else {
      throw SettingProblem("a time from \(words(least)) to \(words(most)) is wanted, not '\(text)'")
    }
    return total
  }

  static func yesOrNo(_ text: String) throws(SettingProblem) -> Bool {
    switch text.lowercased() {
    case "yes", "true", "on", "1": return true
    case "no", "false", "off", "0": return false
    default: throw SettingProblem("yes or no is wanted, not '\(text)'")
    }
  }

  /// Adds what stands in the line, words apart; an empty line forgets what stood before, as in units.
  static func extend(
    _ list: inout [String], with text: String,
    _ check: (String) throws(SettingProblem) -> Void
  ) throws(SettingProblem) {
    let words = text.split(separator: " ").map(String.init)
    for word in words { try check(word) }
    list = words.isEmpty ? [] : list + words
  }

  static func network(_ text: String) throws(SettingProblem) {
    do throws(RangeSyntaxError) { _ = try NetworkRange(parsing: text) } catch {
      throw SettingProblem(error.description)
    }
  }

  static func absolutePath(_ text: String) throws(SettingProblem) {
    guard text.hasPrefix("/"), !text.split(separator: "/").contains("..") else {
      throw SettingProblem("a folder is written as a full path without '..', not '\(text)'")
    }
  }

  private static func words(_ size: UInt64) -> String {
    for (letter, shift) in [("T", 40), ("G", 30), ("M", 20), ("K", 10)] as [(String, UInt64)]
    where size >= 1 << shift && size % (1 << shift) == 0 {
      return "\(size >> shift)\(letter)"
    }
    return "\(size)"
  }

  private static func words(_ time: Duration) -> String {
    let (seconds, attoseconds) = time.components
    if attoseconds != 0 { return "\(seconds * 1000 + attoseconds / 1_000_000_000_000_000)ms" }
    if seconds >= 86400, seconds % 86400 == 0 { return "\(seconds / 86400)d" }
    if seconds >= 3600, seconds % 3600 == 0 { return "\(seconds / 3600)h" }
    if seconds >= 60, seconds % 60 == 0 { return "\(seconds / 60)min" }
    return "\(seconds)s"
  }
}
