// SPDX-License-Identifier: Apache-2.0
// The name of a file that may be a list: it ends in `.plist` in lower case, upper case or a mix, since
// some file systems and people do not distinguish them. Compares bytes.

package struct ListName: Sendable {
  private static let plist = Array(".plist".utf8)

  /// The name before its ending; the whole name if it has no ending.
  package let stem: ArraySlice<UInt8>
  /// `.plist` as it is written; empty if the name does not end in it, or consists of it.
  package let ending: ArraySlice<UInt8>

  package init(_ name: [UInt8]) {
    let ending = name.suffix(Self.plist.count)
    // A capital letter differs by 0x20; the dot has no capital.
    let hasEnding =
      name.count > Self.plist.count
      && zip(ending, Self.plist).allSatisfy { byte, letter in
        byte == letter || (letter != 0x2E && byte | 0x20 == letter)
      }
    self.ending = hasEnding ? ending : []
    stem = hasEnding ? name.dropLast(Self.plist.count) : name[...]
  }

  package init(_ file: FileName) { self.init(file.bytes) }
  package init(_ text: String) { self.init(Array(text.utf8)) }

  package var isList: Bool { !ending.isEmpty }

  /// The stem, for people.
  package var text: String { String(decoding: stem, as: UTF8.self) }
}
