// SPDX-License-Identifier: Apache-2.0
// The photos that a user means: numbers, ranges of numbers, and names, which the catalog finds. Digits are a
// number, also where a photo has them as its name. Raises `ControlError`. Waits for a disk.

import Catalog
import Steer
import Vocabulary

struct PhotoWords {
  let list: OpenList
  let most: Int

  /// In the order of the words, without repetitions.
  func numbers(_ words: [String]) throws(ControlError) -> [UInt32] {
    var found: [UInt32] = []
    var names: [String: Int] = [:]
    for word in words {
      guard let range = range(word) else {
        names[word] = names[word] ?? found.count
        found.append(0)
        continue
      }
      guard range.lowerBound >= 1, range.upperBound <= list.catalog.count else {
        throw .notPossible(
          why: "the list has \(list.catalog.count) photos, no photo \(Printable.text(word))")
      }
      guard found.count + range.count <= most else { throw tooMany }
      found += Array(range)
    }
    if found.count > most { throw tooMany }
    try find(names, &found)
    var seen: Set<UInt32> = [0]
    return found.filter { seen.insert($0).inserted }
  }

  private var tooMany: ControlError { .notPossible(why: "at most \(most) photos can be named") }

  /// One way through the catalog for all names.
  private func find(_ names: [String: Int], _ found: inout [UInt32]) throws(ControlError) {
    var left = names
    do throws(Failure) {
      for number in list.catalog.numbers where !left.isEmpty {
        let name = try list.catalog.entry(number).name
        if let place = left.removeValue(forKey: name) { found[place] = number }
      }
    } catch { throw .notPossible(why: "its photos cannot be read: \(error.reason)") }
    guard let missing = left.min(by: { $0.value < $1.value })?.key else { return }
    throw .notPossible(why: "the list has no photo '\(Printable.text(missing, limit: 120))'")
  }

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
