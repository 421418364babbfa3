// SPDX-License-Identifier: Apache-2.0
// Sizes, times and dates in words, and durations read from words.

package enum Amounts {
  /// `512 B`, `19.0 MiB`.
  package static func bytes(_ count: UInt64) -> String {
    if count < 1024 { return "\(count) B" }
    var scale: UInt64 = 1024
    var units = ["KiB", "MiB", "GiB", "TiB"][...]
    while count / scale >= 1024, units.count > 1 {
      scale *= 1024
      units.removeFirst()
    }
    return "\(count / scale).\(count % scale * 10 / scale) \(units.first ?? "")"
  }

  /// The two largest units: `45 s`, `3 min 5 s`, `2 h 0 min`, `4 d 7 h`.
  package static func span(milliseconds: UInt64) -> String {
    let seconds = milliseconds / 1000
    switch seconds {
    case ..<60: return "\(seconds) s"
    case ..<3600: return "\(seconds / 60) min \(seconds % 60) s"
    case ..<86400: return "\(seconds / 3600) h \(seconds / 60 % 60) min"
    default: return "\(seconds / 86400) d \(seconds / 3600 % 24) h"
    }
  }

  /// `2025-11-21T08:05:45Z`.
  package static func date(milliseconds: UInt64) -> String {
    let seconds = min(milliseconds / 1000, 253_402_300_799)
    let (year, month, day) = civil(daysSince1970: Int(seconds / 86400))
    let clock = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60].map { two(Int($0)) }
    return "\(four(year))-\(two(month))-\(two(day))T\(clock.joined(separator: ":"))Z"
  }

  /// How a duration is written, in all that people read.
  package static let durationSamples = "90, 90s, 5min, 2h or 1d"

  /// Reads `90`, `90s`, `5min`, `2h`, `1d`; at most a year.
  package static func duration(_ text: String) -> Duration? {
    let digits = text.utf8.prefix { $0 >= 0x30 && $0 <= 0x39 }
    let unit = String(text.dropFirst(digits.count))
    guard let count = Int64(String(decoding: Array(digits), as: UTF8.self)) else { return nil }
    let scale: Int64
    switch unit {
    case "", "s": scale = 1
    case "min", "m": scale = 60
    case "h": scale = 3600
    case "d": scale = 86400
    default: return nil
    }
    guard count <= 366 * 86400 / scale else { return nil }
    return .seconds(count * scale)
  }

  /// Counts whole 400-year cycles, then years that begin in March, so that the leap day comes last.
  private static func civil(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
    let fromMarch0 = days + 719_468
    let (cycle, dayOfCycle) = fromMarch0.quotientAndRemainder(dividingBy: 146_097)
    let yearOfCycle =
      (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36524 - dayOfCycle / 146_096) / 365
    let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
    let fromMarch = (5 * dayOfYear + 2) / 153
    let month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
    let year = cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * fromMarch + 2) / 5 + 1)
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  private static func four(_ number: Int) -> String {
    String(repeating: "0", count: max(0, 4 - String(number).count)) + "\(number)"
  }
}
