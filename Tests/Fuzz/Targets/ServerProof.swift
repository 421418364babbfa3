// SPDX-License-Identifier: Apache-2.0
// What servers send beside photos: the value of a header in the first line, and the document of a store below. A range
// lies within its whole, a delay within its limits; no document grows while it is read.

import Transfer
import Vocabulary

enum ServerProof {
  static func run(_ bytes: [UInt8]) {
    let end = bytes.firstIndex(of: 0x0A) ?? bytes.count
    checkHeader(String(decoding: bytes[..<end], as: UTF8.self))
    checkDocument(Array(bytes[end...].dropFirst()))
  }

  private static func checkHeader(_ text: String) {
    if let range = ContentRange(text) {
      must(range.part != nil || range.total != nil, "a range of nothing")
      if let part = range.part, let total = range.total {
        must(part.upperBound < total, "\(part) of \(total)")
      }
      let ends = range.part.map { "\($0.lowerBound)-\($0.upperBound)" } ?? "*"
      let again = ContentRange("bytes \(ends)/\(range.total.map { "\($0)" } ?? "*")")
      must(again == range, "\(text) reads as another range")
    }
    if let seconds = HTTPDate.seconds(text) { must(seconds >= 0, "a date before 1970") }
    for read: Int64 in [0, 1, .max] {
      if let delay = RetryAfter.seconds(read, text) {
        must((1...3600).contains(delay), "\(delay) s")
      }
    }
    let coding = ContentCoding([text])
    must(ContentCoding([coding.text]) == coding, "\(coding) reads as another coding")
  }

  private static func checkDocument(_ document: [UInt8]) {
    guard let leaves = StoreDocument.leaves(document) else {
      return must(StoreDocument.keys(document) == nil, "keys of no document")
    }
    // Bytes of ISO 8859-1 become two of UTF-8.
    let size = leaves.reduce(0) { $0 + $1.text.count + $1.name.text.utf8.count }
    must(size <= 2 * document.count, "\(document.count) bytes became \(size)")
    guard let keys = StoreDocument.keys(document) else { return }
    must(keys.count == leaves.count { $0.name == "Key" }, "\(keys.count) keys")
  }
}
