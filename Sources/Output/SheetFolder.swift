// SPDX-License-Identifier: Apache-2.0
// The thumbnails of a list's prints by the numbers of their photos. Where a later list takes prints over, a photo may
// have another number: thumbnails are first set aside, then all get their new names, so that two may change places.
// Nothing is synced, and a thumbnail that is lost can be made again. Raises SystemError.
// Concurrency: immutable; one task at a time renumbers.

package import Vocabulary

package struct SheetFolder: Sendable {
  private let folder: any Folder

  /// Nil if the prints have none.
  package init?(of prints: any Folder) throws(SystemError) {
    guard try prints.has(Thumbnail.folder) else { return nil }
    folder = try prints.folder(Thumbnail.folder, creating: false)
  }

  package func has(_ number: UInt32) throws(SystemError) -> Bool {
    try folder.has(Thumbnail.file(number))
  }

  /// One that is missing may have been set aside before a crash.
  package func setAside(_ old: UInt32, for number: UInt32, of list: ListID) throws(SystemError) {
    do throws(SystemError) {
      try folder.rename(
        Thumbnail.file(old), to: folder, as: Self.aside(number, list), replacing: true)
    } catch { if !error.isMissing { throw error } }
  }

  /// Gives all that were set aside for the list their names.
  package func settle(_ list: ListID) throws(SystemError) {
    let head = Array(Self.head(list).utf8)
    for name in try folder.names() where name.bytes.starts(with: head) {
      let number = UInt32(String(decoding: name.bytes.dropFirst(head.count), as: UTF8.self))
      guard let number else { continue }
      try folder.rename(name, to: folder, as: Thumbnail.file(number), replacing: true)
    }
  }

  private static func head(_ list: ListID) -> String { ".\(list)-" }
  private static func aside(_ number: UInt32, _ list: ListID) -> FileName {
    FileName(made: "\(head(list))\(number)")
  }
}
