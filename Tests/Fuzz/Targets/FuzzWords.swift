// SPDX-License-Identifier: Apache-2.0
// A dictionary of libFuzzer: a word in quotes a line, with `\\`, `\"` and `\xAB` in it; lines with `#` are comments.

package enum FuzzWords {
  package static func read(_ text: [UInt8]) -> [[UInt8]] {
    text.split(separator: 0x0A).compactMap { line in
      guard line.first != UInt8(ascii: "#"), let start = line.firstIndex(of: 0x22),
        let end = line.lastIndex(of: 0x22), start < end
      else { return nil }
      return word(line[(start + 1)..<end])
    }
  }

  private static func word(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var rest = text
    var word: [UInt8] = []
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let next = rest.popFirst() else {
        word.append(byte)
        continue
      }
      guard next == UInt8(ascii: "x") else {
        word.append(next)
        continue
      }
      word.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
      rest = rest.dropFirst(2)
    }
    return word
  }
}
