// SPDX-License-Identifier: Apache-2.0
// The text of an order in its file:
//
//   #darkroom-hook 1
//   DARKROOM_LIST_NAME=Barn%20door       each value percent-encoded
//   crc=5d1f0a3c                         CRC-32C of the lines before
//
// A value; raises nothing.

internal import Digests
internal import Vocabulary

struct OrderText {
  let header: String

  func text(_ lines: [(name: String, value: [UInt8])]) -> String {
    var text = "\(header)\n"
    for (name, value) in lines { text += "\(name)=\(HexDigits.percentEncoded(value))\n" }
    return text + "crc=\(String(hex: CRC32C.checksum(Array(text.utf8))))\n"
  }

  /// Nil for a damaged text.
  func lines(_ text: [UInt8]) -> [(name: String, value: [UInt8])]? {
    var lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
    guard lines.popLast()?.isEmpty == true, let sum = lines.popLast(),
      sum.elementsEqual(
        "crc=\(String(hex: CRC32C.checksum(text.dropLast(sum.count + 1))))".utf8),
      lines.first?.elementsEqual(header.utf8) == true
    else { return nil }
    var found: [(name: String, value: [UInt8])] = []
    for line in lines.dropFirst() {
      guard let sign = line.firstIndex(of: 0x3D),
        let value = HexDigits.percentDecoded(line[line.index(after: sign)...])
      else { return nil }
      found.append((String(decoding: line[..<sign], as: UTF8.self), value))
    }
    return found
  }
}
