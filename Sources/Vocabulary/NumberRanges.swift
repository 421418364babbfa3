// SPDX-License-Identifier: Apache-2.0
// Numbers of photos as ascending ranges, `3,7-9` in text. A value with a limit, so that it fits into a file `about`.

package struct NumberRanges: Equatable, Sendable {
  package static let most = 2000

  private let ranges: [ClosedRange<UInt32>]
  /// How many numbers there are before each range.
  private let before: [UInt64]

  private init(_ ranges: [ClosedRange<UInt32>]) {
    self.ranges = ranges
    var (before, sum) = ([UInt64](), UInt64(0))
    for range in ranges {
      before.append(sum)
      sum += UInt64(range.upperBound - range.lowerBound) + 1
    }
    self.before = before
  }

  /// In any order, perhaps repeatedly. Nil without a number, or if they make more than `most` ranges.
  package init?(_ numbers: [UInt32]) {
    var ranges: [ClosedRange<UInt32>] = []
    for number in numbers.sorted() {
      if let last = ranges.last, number <= last.upperBound || number - 1 == last.upperBound {
        ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, number)
      } else {
        ranges.append(number...number)
      }
    }
    guard (1...Self.most).contains(ranges.count) else { return nil }
    self.init(ranges)
  }

  /// Nil for text that `text` does not write.
  package init?(text: some StringProtocol) {
    var ranges: [ClosedRange<UInt32>] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { UInt32($0) }
      guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1],
        first <= last, ranges.last.map({ $0.upperBound < first }) ?? true
      else { return nil }
      ranges.append(first...last)
    }
    guard (1...Self.most).contains(ranges.count) else { return nil }
    self.init(ranges)
  }

  package var text: String {
    ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
      .joined(separator: ",")
  }

  package func contains(_ number: UInt32) -> Bool {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < number { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].contains(number)
  }

  /// How many of the numbers are not above `last`.
  package func count(upTo last: UInt32) -> UInt32 {
    let place = (ranges.firstIndex { $0.lowerBound > last } ?? ranges.count) - 1
    guard place >= 0 else { return 0 }
    let range = ranges[place]
    return UInt32(
      clamping: before[place] + UInt64(min(last, range.upperBound) - range.lowerBound) + 1)
  }

  /// The number at this place, counted from 1; nil behind the last one.
  package func number(at place: UInt32) -> UInt32? {
    guard place >= 1 else { return nil }
    var (low, high) = (0, ranges.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if before[middle] < UInt64(place) { low = middle } else { high = middle }
    }
    let (number, isOver) = ranges[low].lowerBound.addingReportingOverflow(
      UInt32(clamping: UInt64(place) - 1 - before[low]))
    return !isOver && number <= ranges[low].upperBound ? number : nil
  }

  /// The lowest number.
  package var first: UInt32 { ranges[0].lowerBound }
}
