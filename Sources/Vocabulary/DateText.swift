// SPDX-License-Identifier: Apache-2.0
// Dates and times in the ISO form that people and property lists read.

package enum DateText {
  /// `2025-11-21T08:05:45Z`; times after the year 9999 are clamped to its end.
  package static func utc(milliseconds: UInt64) -> String {
    let seconds = min(milliseconds / 1000, 253_402_300_799)
    let (year, month, day) = civil(daysSince1970: seconds / 86400)
    let clock = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60].map { padded($0, 2) }
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T"
      + "\(clock.joined(separator: ":"))Z"
  }

  /// Counts whole 400-year cycles, then years that begin in March: the leap day is then a year's last day.
  private static func civil(daysSince1970 days: UInt64) -> (
    year: UInt64, month: UInt64, day: UInt64
  ) {
    let (cycle, dayOfCycle) = (days + 719_468).quotientAndRemainder(dividingBy: 146_097)
    let yearOfCycle =
      (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36524 - dayOfCycle / 146_096) / 365
    let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
    let fromMarch = (5 * dayOfYear + 2) / 153
    let month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
    let year = cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * fromMarch + 2) / 5 + 1)
  }

  private static func padded(_ number: UInt64, _ digits: Int) -> String {
    var text: [UInt8] = []
    text.append(decimal: number, digits: digits)
    return String(decoding: text, as: UTF8.self)
  }
}
