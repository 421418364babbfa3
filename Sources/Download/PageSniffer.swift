// SPDX-License-Identifier: Apache-2.0
// Recognizes a web page by its first bytes: login walls and error pages with status 200 are pages. The
// filter decides whether other bytes are a picture.

enum PageSniffer {
  static func isPage(_ head: ArraySlice<UInt8>) -> Bool {
    var text = head
    if text.first == 0xEF, text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
    text = text.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0C || $0 == 0x0D }
    // Nearly all bodies are pictures and leave here.
    guard text.first == UInt8(ascii: "<") else { return false }
    // A comment may precede the page's first tag.
    if text.starts(with: "<!--".utf8) { return true }
    let marks = ["<!doctype html", "<html", "<head", "<body", "<script", "<title"]
    return marks.contains { mark in
      text.count >= mark.utf8.count
        && zip(text, mark.utf8).allSatisfy { byte, expected in
          ((0x41...0x5A).contains(byte) ? byte | 0x20 : byte) == expected
        }
    }
  }
}
