// SPDX-License-Identifier: Apache-2.0
// Formats sizes and times, and parses durations.

internal import Vocabulary

package enum Amounts {
  /// `1 photo`, `100 photos`.
  static func photos(_ count: some BinaryInteger) -> String { counted(count, "photo") }

  /// `1 host`, `2 more hosts`; another word for many, if they are not the word with an `s`.
  static func counted(
    _ count: some BinaryInteger, _ one: String, _ many: String? = nil, more: Bool = false
  ) -> String {
    "\(count) \(more ? "more " : "")\(count == 1 ? one : many ?? one + "s")"
  }

  /// `3.2/s`, `42/min`, `5/h`.
  package static func pace(photosPerHour: UInt64) -> String {
    switch photosPerHour {
    case 3600...: "\(photosPerHour / 3600).\(photosPerHour % 3600 / 360)/s"
    case 60...: "\(photosPerHour / 60)/min"
    default: "\(photosPerHour)/h"
    }
  }

  static func age(since time: UInt64, now: UInt64) -> String {
    span(milliseconds: now - min(now, time))
  }

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

  /// Examples of durations, for all texts that users read.
  package static let durationSamples = "90, 90s, 5min, 2h or 1d"

  /// At most 366 days.
  package static func duration(_ text: String) -> Duration? {
    Duration(written: text[...]).flatMap { $0 <= .seconds(366 * 86400) ? $0 : nil }
  }
}
