// SPDX-License-Identifier: Apache-2.0
// A block of up to sixteen entries of a catalog. `init` locates the entries, `entry` decodes one. Nil if the
// bytes are damaged.

package import Vocabulary

package struct CatalogBlock: Sendable {
  private let entries: [ArraySlice<UInt8>]

  package init?(_ bytes: [UInt8]) {
    var cursor = CatalogCursor(ArraySlice(bytes))
    var entries: [ArraySlice<UInt8>] = []
    while !cursor.isAtEnd {
      guard entries.count < Int(CatalogFormat.blockPhotos), let entry = cursor.sized() else {
        return nil
      }
      entries.append(entry)
    }
    self.entries = entries
  }

  package var count: Int { entries.count }

  /// The entry at a place counted from 0.
  package func entry(_ place: UInt32, _ limits: ListLimits) -> CatalogEntry? {
    guard place < UInt32(entries.count) else { return nil }
    return CatalogEntry(fields: entries[Int(place)], limits: limits)
  }
}
