// SPDX-License-Identifier: Apache-2.0
// The values of an answer's headers, from libcurl. A server may send values up to the limit of the whole head, and
// all transfers share the thread that reads the values. So a value that is longer than any honest value, or is not
// ASCII, is ignored, and if many lines have one name, only the first lines count. ASCII is compared byte by byte.

enum HeaderText {
  static let longest = 8192
  /// libcurl searches the whole head for each line.
  static let mostLines = 16

  /// Nil for no value, or for one that is refused.
  static func read(_ value: UnsafePointer<CChar>?, most: Int = longest) -> String? {
    guard let value = unsafe value else { return nil }
    var bytes: [UInt8] = []
    while unsafe value[bytes.count] != 0 {
      let byte = unsafe UInt8(bitPattern: value[bytes.count])
      guard bytes.count < most, byte < 0x7F else { return nil }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A line that is refused reads as `?`, because a line was there.
  static func lines(_ value: (Int) -> UnsafePointer<CChar>?) -> [String] {
    var lines: [String] = []
    for place in 0..<mostLines {
      guard let text = unsafe value(place) else { break }
      lines.append(unsafe read(text) ?? "?")
    }
    return lines
  }
}
