// SPDX-License-Identifier: Apache-2.0
// The photos that a user means: numbers, ranges of numbers, and names, which the catalog finds. Digits are a
// number, even where a photo has them as its name. A photo whose name is longer than a word is named by its number.
// Raises `ControlError`, including when the caller has left. Waits for a disk.

import Catalog
import Steer
import Vocabulary

struct PhotoWords {
  /// Nil for a list that was dropped at another node.
  private let catalog: CatalogPart?
  private let count: UInt32

  init(_ catalog: CatalogPart) { (self.catalog, count) = (catalog, catalog.count) }

  /// Of a list whose number of photos alone is known.
  init(count: UInt32) { (catalog, self.count) = (nil, count) }

  /// In the order of the words, without repetitions.
  func numbers(_ words: [String], most: Int) throws(ControlError) -> [UInt32] {
    let spans = try spans(words)
    guard spans.reduce(0, { $0 + $1.count }) <= most else {
      throw .notPossible(why: "at most \(most) photos can be named")
    }
    var seen: Set<UInt32> = []
    return spans.joined().filter { seen.insert($0).inserted }
  }

  /// A range for each word.
  func spans(_ words: [String]) throws(ControlError) -> [ClosedRange<UInt32>] {
    var found: [ClosedRange<UInt32>] = []
    var names: [OutsideText: Int] = [:]
    for word in words {
      guard let range = range(word) else {
        let name = OutsideText(checked: word)
        if names[name] == nil {
          names[name] = found.count
          found.append(0...0)
        }
        continue
      }
      guard range.lowerBound >= 1, range.upperBound <= count else {
        throw .notPossible(
          why: "the list has \(count) photos, so it has no photo \(Printable.text(word))")
      }
      found.append(range)
    }
    try find(names, &found)
    return found
  }

  /// One way through the catalog for all names.
  private func find(
    _ names: [OutsideText: Int], _ found: inout [ClosedRange<UInt32>]
  ) throws(ControlError) {
    if names.isEmpty { return }
    guard let catalog else {
      throw .notPossible(
        why: "the list was dropped at another node, which has the names: name its photos by number")
    }
    var left = names
    var known: [String] = []
    try PhotoScans.each(of: 0..<catalog.count) { block throws(ControlError) in
      do throws(Failure) {
        for number in block where !left.isEmpty {
          guard let name = OutsideText(try catalog.entry(number + 1).name) else { continue }
          if let place = left.removeValue(forKey: name) {
            found[place] = (number + 1)...(number + 1)
          }
          if known.count < Self.mostCompared { known.append(name.text) }
        }
      } catch { throw .notPossible(why: "its photos cannot be read: \(error.reason)") }
      return !left.isEmpty
    }
    guard let missing = left.min(by: { $0.value < $1.value })?.key.text else { return }
    let near = Suggestion.nearest(to: missing, among: known).map {
      " (did you mean '\(Printable.text($0, limit: 120))'?)"
    }
    throw .notPossible(
      why: "the list has no photo '\(Printable.text(missing, limit: 120))'\(near ?? "")")
  }

  /// The first photos of a long list are compared with a name that it lacks.
  private static let mostCompared = 1000

  /// `7` or `10-20`; nil for a name. Too large a number is a range that no list has.
  private func range(_ word: String) -> ClosedRange<UInt32>? {
    let parts = word.split(separator: "-", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts.allSatisfy({ Self.isNumber($0) }) else { return nil }
    let first = UInt32(parts[0]) ?? .max
    let last = UInt32(parts[parts.count - 1]) ?? .max
    return first <= last ? first...last : last...first
  }

  private static func isNumber(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
  }
}
