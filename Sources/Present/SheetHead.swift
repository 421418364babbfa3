// SPDX-License-Identifier: Apache-2.0
// What a contact sheet tells about its list. A value; raises nothing.

package import Vocabulary

package struct SheetHead: Equatable, Sendable {
  package var list: ListID
  /// The dropped name without its suffix.
  package var name: String
  /// May be empty.
  package var title: String
  package var filter: FilterFunction
  package var quality: PrintQuality
  package var state: ListState
  /// Milliseconds since 1970.
  package var accepted: UInt64
  package var total: UInt32
  package var filtered: UInt32
  package var failed: UInt32

  package init(
    list: ListID, name: String, title: String, filter: FilterFunction, quality: PrintQuality,
    state: ListState, accepted: UInt64, total: UInt32, filtered: UInt32, failed: UInt32
  ) {
    self.list = list
    self.name = name
    self.title = title
    self.filter = filter
    self.quality = quality
    self.state = state
    self.accepted = accepted
    self.total = total
    self.filtered = filtered
    self.failed = failed
  }

  var heading: String { title.isEmpty ? name : title }

  /// The line below the heading.
  var terms: String {
    let name = title.isEmpty || title == self.name ? [] : [self.name]
    let quality = self.quality == .source ? [] : ["quality \(self.quality)"]
    return (name + ["\(filter)"] + quality + ["list \(list)"]).joined(separator: " · ")
  }

  /// `2 failed · paused`, with the state as `darkroomctl list` shows it; empty if all is well.
  var standing: String {
    let failures = failed > 0 ? "\(Self.grouped(failed)) failed" : ""
    let words = state == .finished ? "" : state.name
    return [failures, words].filter { !$0.isEmpty }.joined(separator: " · ")
  }

  /// `1,234`
  static func grouped(_ number: UInt32) -> String {
    var digits = Array("\(number)")
    var place = digits.count - 3
    while place > 0 {
      digits.insert(",", at: place)
      place -= 3
    }
    return String(digits)
  }

  /// `22 November 2026` in UTC.
  var day: String {
    let months = [
      "January", "February", "March", "April", "May", "June", "July", "August", "September",
      "October", "November", "December",
    ]
    let parts = iso.prefix(10).split(separator: "-").compactMap { Int($0) }
    guard parts.count == 3, months.indices.contains(parts[1] - 1) else { return iso }
    return "\(parts[2]) \(months[parts[1] - 1]) \(parts[0])"
  }

  var iso: String { DateText.utc(milliseconds: accepted) }
}
