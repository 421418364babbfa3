// SPDX-License-Identifier: Apache-2.0
// The known word that an unknown word was probably meant to be. Ignores case.

package enum Suggestion {
  /// ` (did you mean 'Title'?)`, or nothing. In brackets, so that it fits inside or at the end of a sentence.
  package static func words(for word: String, among known: some Sequence<String>) -> String {
    nearest(to: word, among: known).map { " (did you mean '\($0)'?)" } ?? ""
  }

  /// The only known word with this beginning, or the nearest word if it differs by a few typing errors.
  package static func nearest(to word: String, among known: some Sequence<String>) -> String? {
    guard var search = Search(word) else { return nil }
    for name in known { search.look(at: name) }
    return search.found
  }

  /// The same for very many words, in several turns.
  package struct Search {
    private let bytes: [UInt8]
    /// The words with this beginning, but no more than two.
    private var begun: Set<OutsideText> = []
    private var near: (slips: Int, name: OutsideText)?

    /// Nil for a word that is too short or too long.
    package init?(_ word: String) {
      guard 1...32 ~= word.utf8.count else { return nil }
      bytes = lowered(word.utf8[...])
    }

    package mutating func look(at name: String) {
      guard name.utf8.count >= bytes.count - mostSlips else { return }
      // No more of a long name matters.
      let head = lowered(name.utf8.prefix(bytes.count + mostSlips))
      if head.starts(with: bytes), begun.count < 2 { begun.insert(OutsideText(checked: name)) }
      let most = max(1, min(mostSlips, bytes.count / 3))
      guard name.utf8.count == head.count, let slips = slips(bytes, head), slips <= most else {
        return
      }
      let found = (slips: slips, name: OutsideText(checked: name))
      if near.map({ found < $0 }) ?? true { near = found }
    }

    package var found: String? {
      bytes.count > 1 && begun.count == 1 ? begun.first?.text : near?.name.text
    }
  }

  private static let mostSlips = 2

  private static func lowered(_ word: Substring.UTF8View) -> [UInt8] {
    word.map { $0 >= 0x41 && $0 <= 0x5A ? $0 + 32 : $0 }
  }

  /// The number of letters to add, omit, change or swap with a neighbour; nil if it is greater than `mostSlips`. Only
  /// cells near the diagonal can be that small.
  private static func slips(_ a: [UInt8], _ b: [UInt8]) -> Int? {
    let (most, many) = (mostSlips, mostSlips + 1)
    guard abs(a.count - b.count) <= most else { return nil }
    var rows = [(0...b.count).map { min($0, many) }]
    for i in a.indices {
      var row = [Int](repeating: many, count: b.count + 1)
      if i < most { row[0] = i + 1 }
      for j in max(0, i - most)..<max(0, min(b.count, i + most + 1)) {
        var least = min(
          row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          least = min(least, rows[i - 1][j - 1] + 1)
        }
        row[j + 1] = min(least, many)
      }
      rows.append(row)
    }
    let count = rows[a.count][b.count]
    return count <= most ? count : nil
  }
}
