// SPDX-License-Identifier: Apache-2.0
// `failed/NAME.reason.txt`: why a list was turned away, for people in the first line and for programs
// in the lines below it.

package import Vocabulary

package struct ReasonNote: Equatable, Sendable {
  package let list: ListID
  package let name: FileName
  package let failure: Failure
  /// Milliseconds since 1970.
  package let time: UInt64

  package init(list: ListID, name: FileName, failure: Failure, time: UInt64) {
    self.list = list
    self.name = name
    self.failure = failure
    self.time = time
  }

  package var text: String {
    let advice = failure.advice.isEmpty ? "Correct the file" : failure.advice
    return """
      The list '\(name)' was not accepted: \(Printable.text(failure.reason, limit: 2000)).
      code=\(failure.code)
      time=\(Self.date(time))
      list=\(list)
      retry=\(Printable.text(advice, limit: 2000)). Then drop it into the inbox again.

      """
  }

  /// As `2026-01-31T23:59:59Z`. Days are counted in eras of 400 years that begin in March, so that the
  /// leap day is a year's last.
  static func date(_ milliseconds: UInt64) -> String {
    let seconds = milliseconds / 1000
    let day = seconds / 86400 + 719_468
    let (era, dayOfEra) = day.quotientAndRemainder(dividingBy: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    let date = "\(year)-\(two(month))-\(two(dayOfYear - (153 * shifted + 2) / 5 + 1))"
    let rest = seconds % 86400
    return "\(date)T\(two(rest / 3600)):\(two(rest / 60 % 60)):\(two(rest % 60))Z"
  }

  private static func two(_ value: UInt64) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
