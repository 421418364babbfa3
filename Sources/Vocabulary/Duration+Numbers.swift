// SPDX-License-Identifier: Apache-2.0
// A duration as a number, in words for people, and from the text of people.

extension Duration {
  package var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds.multipliedReportingOverflow(by: 1_000_000_000).overflow
      ? .max : seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }

  package var milliseconds: Int64 { nanoseconds / 1_000_000 }

  /// `250 ms`, `1.5 s`, `90 s`, `2 min 30 s`, `60 min`: longer durations are rounded more.
  package var spoken: String {
    let milliseconds = (nanoseconds / 1000 + 500) / 1000
    if milliseconds < 1000, milliseconds != 0 { return "\(milliseconds) ms" }
    let tenths = (milliseconds + 50) / 100
    if tenths < 100, tenths % 10 != 0 { return "\(tenths / 10).\(tenths % 10) s" }
    let seconds = (milliseconds + 500) / 1000
    if seconds < 120 { return "\(seconds) s" }
    if seconds < 600, seconds % 60 != 0 { return "\(seconds / 60) min \(seconds % 60) s" }
    return "\((seconds + 30) / 60) min"
  }

  /// Reads `250ms`, `5s`, `10min`, `2h` or `1d`; a number without a unit counts seconds. Not
  /// `30m`, which means minutes to some and months to others.
  package init?(written word: Substring) {
    let digits = word.prefix { $0.isASCII && $0.isNumber }
    guard let number = Int64(digits), number < 1_000_000_000 else { return nil }
    switch word.dropFirst(digits.count) {
    case "ms": self = .milliseconds(number)
    case "s", "": self = .seconds(number)
    case "min": self = .seconds(number * 60)
    case "h": self = .seconds(number * 3600)
    case "d": self = .seconds(number * 86400)
    default: return nil
    }
  }
}
