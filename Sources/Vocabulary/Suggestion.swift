// SPDX-License-Identifier: Apache-2.0
// The known word that an unknown word was probably meant to be. Ignores case.

package enum Suggestion {
  /// ` (did you mean 'Title'?)`, or nothing. In brackets, so that it fits inside or at the end of a sentence.
  package static func words(for word: String, among known: some Sequence<String>) -> String {
    nearest(to: word, among: known).map { " (did you mean '\($0)'?)" } ?? ""
  }

  /// The only known word with this beginning, or the nearest word if it differs by a few typing errors.
  package static func nearest(to word: String, among known: some Sequence<String>) -> String? {
    guard 1...32 ~= word.utf8.count else { return nil }
    let bytes = lowered(word.utf8[...])
    var begun: [String] = []
    var near: [(name: OutsideText, slips: Int)] = []
    let most = max(1, min(mostSlips, bytes.count / 3))
    for name in known where name.utf8.count >= bytes.count - mostSlips {
      // No more of a long name matters.
      let head = lowered(name.utf8.prefix(bytes.count + mostSlips))
      if head.starts(with: bytes) { begun.append(name) }
      guard name.utf8.count == head.count, let slips = slips(bytes, head), slips <= most else {
        continue
      }
      near.append((OutsideText(checked: name), slips))
    }
    if bytes.count > 1, begun.count == 1 { return begun[0] }
    return near.min { ($0.slips, $0.name) < ($1.slips, $1.name) }?.name.text
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
