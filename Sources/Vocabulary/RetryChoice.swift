// SPDX-License-Identifier: Apache-2.0
// The photos of a list that a retry tries again, out of the failed photos. A value that fits into a file `about`:
// `3,7-9` in text, `!3,7-9` for all but these, `all`.

package enum RetryChoice: Equatable, Sendable {
  case all
  case only(NumberRanges)
  case allBut(NumberRanges)

  /// Both ascending. Nil if it takes too many ranges either way.
  package init?(_ chosen: [UInt32], among failed: [UInt32]) {
    if let ranges = NumberRanges(chosen) {
      self = .only(ranges)
      return
    }
    var rest = chosen[...]
    let kept = failed.filter { number in
      rest = rest.drop { $0 < number }
      return rest.first != number
    }
    if kept.isEmpty {
      self = .all
    } else {
      guard !chosen.isEmpty, let ranges = NumberRanges(kept) else { return nil }
      self = .allBut(ranges)
    }
  }

  /// Nil for text that `text` does not write.
  package init?(text: some StringProtocol) {
    if text == "all" {
      self = .all
    } else if text.first == "!" {
      guard let ranges = NumberRanges(text: text.dropFirst()) else { return nil }
      self = .allBut(ranges)
    } else {
      guard let ranges = NumberRanges(text: text) else { return nil }
      self = .only(ranges)
    }
  }

  package var text: String {
    switch self {
    case .all: "all"
    case .only(let ranges): ranges.text
    case .allBut(let ranges): "!\(ranges.text)"
    }
  }

  package func contains(_ number: UInt32) -> Bool {
    switch self {
    case .all: true
    case .only(let ranges): ranges.contains(number)
    case .allBut(let ranges): !ranges.contains(number)
    }
  }
}
