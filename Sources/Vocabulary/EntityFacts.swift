// SPDX-License-Identifier: Apache-2.0
// What an origin says of what it sends: by this it is known again. Words from outside, checked so far
// that they can be sent back in a header.

package struct EntityFacts: Hashable, Sendable {
  /// As the origin wrote it, quotes and all; empty where it has none.
  package var etag: String
  /// As the origin wrote it; empty where it did not.
  package var lastModified: String
  /// It changed long enough before it was sent that it cannot have changed twice in that second.
  package var isDateStrong: Bool
  /// Of the whole; nil where the origin did not tell.
  package var total: UInt64?
  /// The whole URL that answered: a validator means nothing elsewhere, and an answer to another query
  /// may be another photo.
  package var place: String
  /// The origin does not ask us to forget it at once.
  package var mayBeKept: Bool

  package init(
    etag: String = "", lastModified: String = "", isDateStrong: Bool = false,
    total: UInt64? = nil, place: String = "", mayBeKept: Bool = true
  ) {
    self.etag = etag.isEmpty || Self.isTag(etag) ? etag : ""
    self.lastModified = lastModified.isEmpty || Self.isDate(lastModified) ? lastModified : ""
    self.isDateStrong = isDateStrong
    self.total = total
    self.place = place
    self.mayBeKept = mayBeKept
  }

  /// What `If-Range` may hold: a strong tag or, where there is no tag at all, a date that is strong
  /// (RFC 9110, 8.8.2.2 and 13.1.5). Nil where two bodies may share what the origin tells.
  package var strongValidator: String? {
    if !etag.isEmpty { return etag.hasPrefix("\"") ? etag : nil }
    return isDateStrong && !lastModified.isEmpty ? lastModified : nil
  }

  /// It can be asked whether it has changed.
  package var isRecognizable: Bool { !etag.isEmpty || !lastModified.isEmpty }

  /// `"…"` or `W/"…"`, short, nothing but visible ASCII inside.
  private static func isTag(_ text: String) -> Bool {
    var bytes = Array(text.utf8)[...]
    if bytes.starts(with: "W/".utf8) { bytes = bytes.dropFirst(2) }
    guard (2...512).contains(bytes.count), bytes.first == 0x22, bytes.last == 0x22 else {
      return false
    }
    return bytes.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 }
  }

  private static func isDate(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
  }
}
