// SPDX-License-Identifier: Apache-2.0
// "Did you mean …": the nearest known word, when it is near.

package enum Suggestion {
  /// `; did you mean 'X'?`, or nothing.
  package static func words(for word: String, among known: some Sequence<String>) -> String {
    nearest(to: word, among: known).map { "; did you mean '\($0)'?" } ?? ""
  }

  package static func nearest(to word: String, among known: some Sequence<String>) -> String? {
    let candidates = known.sorted().map { ($0, distance(word.lowercased(), $0.lowercased())) }
    guard let best = candidates.min(by: { $0.1 < $1.1 }) else { return nil }
    return best.1 <= max(1, best.0.count / 3) ? best.0 : nil
  }

  /// Edits from one word to the other: insert, delete, replace. Long words are not looked at.
  static func distance(_ a: String, _ b: String) -> Int {
    let a = Array(a), b = Array(b)
    guard a.count <= 64, b.count <= 64 else { return .max }
    var row = Array(0...b.count)
    for (i, x) in a.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, y) in b.enumerated() {
        let best = min(row[j] + 1, row[j + 1] + 1, diagonal + (x == y ? 0 : 1))
        diagonal = row[j + 1]
        row[j + 1] = best
      }
    }
    return row[b.count]
  }
}
