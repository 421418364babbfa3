// SPDX-License-Identifier: Apache-2.0
// The head of a PNG's text chunk: its keyword, whether it is compressed, and where the text begins.

struct PNGText {
  let keyword: [UInt8]
  let isCompressed: Bool
  /// The offset of the text in the chunk; nil if the head is malformed.
  let start: Int?

  /// `head` is the beginning of the chunk: keyword, NUL; in zTXt the compression method; in iTXt a
  /// compression flag, the method, a language, NUL, the translated keyword, NUL.
  init(name: String, head: [UInt8]) {
    keyword = Array(head.prefix { $0 != 0 })
    let after = keyword.count + 1
    let isKeyword = (1...79).contains(keyword.count) && after <= head.count
    switch name {
    case "tEXt":
      isCompressed = false
      start = isKeyword ? after : nil
    case "zTXt":
      isCompressed = true
      start = isKeyword && after < head.count && head[after] == 0 ? after + 1 : nil
    default:
      isCompressed = after < head.count && head[after] != 0
      // If uncompressed, language and second keyword are searched with the text.
      guard isKeyword, after + 2 <= head.count else {
        start = nil
        return
      }
      start = isCompressed ? Self.textStart(head, from: after + 2) : after + 2
    }
  }

  private static func textStart(_ head: [UInt8], from start: Int) -> Int? {
    guard let language = head[start...].firstIndex(of: 0),
      let second = head[(language + 1)...].firstIndex(of: 0)
    else { return nil }
    return second + 1
  }
}
