// SPDX-License-Identifier: Apache-2.0
// The packed rows of a print: zlib unpacks any rows to the same bytes. The input encodes the rows, so
// that few bytes make rows beyond deflate's window: the sizes of pixel and row, then literal bytes and
// repeats.

import Inflate
import Support

enum DeflateProof {
  private static let most = 400_000

  static func run(_ bytes: [UInt8]) {
    guard bytes.count > 2 else { return }
    let pixelSize = RowDeflater.pixelSizes[Int(bytes[0]) % 5]
    let rowSize = 24 * (1 + Int(bytes[0] / 5) * Int(bytes[1]))
    var rows = made(bytes.dropFirst(2))
    rows.removeLast(((rows.count - 1) % (rowSize + 1)) % pixelSize)
    guard let packed = RowDeflater.pack(rows, pixelSize: pixelSize, rowSize: rowSize) else {
      fatalError("rows grew by more than they may")
    }
    must(unpacked(packed) == rows, "other rows came out")
  }

  private static func made(_ words: ArraySlice<UInt8>) -> [UInt8] {
    var rows: [UInt8] = [0]
    var at = words.startIndex
    while at + 3 < words.endIndex, rows.count < most {
      let word = (Int(words[at]), Int(words[at + 1]), Int(words[at + 2]), words[at + 3])
      at += 4
      if word.0 < 64 {
        let end = min(at + word.0, words.endIndex)
        rows += words[at..<end]
        at = end
        rows.append(word.3)
      } else {
        let start = max(rows.count - 1 - (word.1 << 8 | word.2), 0)
        for from in start..<(start + (word.0 - 63) * Int(word.3)) { rows.append(rows[from]) }
      }
    }
    return rows
  }

  private static func unpacked(_ bytes: [UInt8]) -> [UInt8]? {
    guard var inflater = ByteInflater() else { return nil }
    var out: [UInt8] = []
    let isSound = inflater.inflate(bytes) { piece in
      out += piece
      return true
    }
    return isSound && inflater.isAtEnd ? out : nil
  }
}
