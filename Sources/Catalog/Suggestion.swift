// SPDX-License-Identifier: Apache-2.0
// What somebody may have meant who wrote a word that nobody knows.

enum Suggestion {
  /// The nearest of `known` if it is at most two slips away (a letter too many, too few or another
  /// one; capitals do not count), as `; did you mean 'Title'?`; else empty.
  static func words(for text: ListText, among known: [String]) -> String {
    guard text.length <= 32 else { return "" }
    let word = lowered(text.bytes)
    let slips = known.map { (name: $0, count: distance(word, lowered(Array($0.utf8)))) }
    guard let nearest = slips.min(by: { $0.count < $1.count }),
      nearest.count <= 2, nearest.count < nearest.name.utf8.count - 1
    else { return "" }
    return "; did you mean '\(nearest.name)'?"
  }

  private static func lowered(_ bytes: [UInt8]) -> [UInt8] {
    bytes.map { $0 >= 0x41 && $0 <= 0x5A ? $0 + 32 : $0 }
  }

  /// Levenshtein's distance.
  private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var row = Array(0...b.count)
    for (i, x) in a.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, y) in b.enumerated() {
        let above = row[j + 1]
        row[j + 1] = min(diagonal + (x == y ? 0 : 1), above + 1, row[j] + 1)
        diagonal = above
      }
    }
    return row.last ?? 0
  }
}
