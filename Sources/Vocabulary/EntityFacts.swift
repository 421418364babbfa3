// SPDX-License-Identifier: Apache-2.0
// An origin's description of an entity (tag, date, size, place), by which a later answer is matched with
// it. Tag and date come from outside; `init` drops one that could not be sent back in a header.

package struct EntityFacts: Hashable, Sendable {
  /// As the origin wrote it, with its quotes; empty if there is none.
  package var etag: String
  /// As the origin wrote it; empty if there is none.
  package var lastModified: String
  /// The entity changed long enough before it was sent that it cannot have changed twice in that second.
  package var isDateStrong: Bool
  /// The size of the whole entity; nil if the origin did not state it.
  package var total: UInt64?
  /// The whole URL that answered: a validator means nothing elsewhere, and an answer to another query
  /// may be another photo.
  package var place: String
  /// False if the origin sent `no-store`.
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

  /// The value for `If-Range`: a strong tag or, if there is no tag at all, a strong date
  /// (RFC 9110, 8.8.2.2 and 13.1.5). Nil if two different bodies may share tag and date.
  package var strongValidator: String? {
    if !etag.isEmpty { return etag.hasPrefix("\"") ? etag : nil }
    return isDateStrong && !lastModified.isEmpty ? lastModified : nil
  }

  /// The origin can be asked whether the entity has changed.
  package var isRecognizable: Bool { !etag.isEmpty || !lastModified.isEmpty }

  /// `"…"` or `W/"…"`, at most 514 bytes, only visible ASCII inside.
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
