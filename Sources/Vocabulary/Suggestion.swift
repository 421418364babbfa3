// SPDX-License-Identifier: Apache-2.0
// The known word that an unknown word was probably meant to be. Ignores case.

package enum Suggestion {
  /// ` (did you mean 'Title'?)`, or nothing. In brackets, so that it fits inside or at the end of a sentence.
  package static func words(for word: String, among known: some Sequence<String>) -> String {
    nearest(to: word, among: known).map { " (did you mean '\($0)'?)" } ?? ""
  }

  /// The only known word with this beginning, or the nearest word if it differs by a few typing errors.
  package static func nearest(to word: String, among known: some Sequence<String>) -> String? {
    let known = known.sorted()
    let bytes = lowered(word)
    guard !bytes.isEmpty, bytes.count <= 32 else { return nil }
    let begun = known.filter { lowered($0).starts(with: bytes) }
    if bytes.count > 1, begun.count == 1 { return begun[0] }
    let best = known.map { (name: $0, slips: slips(bytes, lowered($0))) }
      .min { $0.slips < $1.slips }
    guard let best, best.slips <= max(1, min(2, bytes.count / 3)) else { return nil }
    return best.name
  }

  private static func lowered(_ word: String) -> [UInt8] {
    word.utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 + 32 : $0 }
  }

  /// The number of letters to add, omit, change or swap with a neighbour.
  private static func slips(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var rows = [Array(0...b.count)]
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var least = min(
          row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          least = min(least, rows[i - 1][j - 1] + 1)
        }
        row.append(least)
      }
      rows.append(row)
    }
    return rows[a.count][b.count]
  }
}
