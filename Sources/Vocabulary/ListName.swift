// SPDX-License-Identifier: Apache-2.0
// The name of a file that may be a list: it has one of the endings below in lower case, upper case or a mix,
// since some file systems and people do not distinguish them. The ending does not decide the format: the contents
// do. Compares bytes.

package struct ListName: Sendable {
  package static let endingTexts = [".plist", ".json", ".csv", ".txt"]
  private static let endings = endingTexts.map { Array($0.utf8) }
  /// The endings, for people.
  package static let endingWords = ".plist, .json, .csv or .txt"

  /// The name before its ending; the whole name if it has no ending.
  package let stem: ArraySlice<UInt8>
  /// The ending as it is written; empty if the name has none, or consists of it.
  package let ending: ArraySlice<UInt8>

  package init(_ name: [UInt8]) {
    let size = NameEnding.length(of: Self.endings, in: name)
    ending = name.suffix(size)
    stem = name.dropLast(size)
  }

  package init(_ file: FileName) { self.init(file.bytes) }
  package init(_ text: String) { self.init(Array(text.utf8)) }

  package var isList: Bool { !ending.isEmpty }

  /// Before the ending of a retry list's name.
  package static let retryMark = ".retry"
  /// The stems that the list of a retry list of this name may have: `barn~2.retry` continues `barn~2` or, as its second
  /// retry list, `barn`. None for another name.
  package var continued: [ArraySlice<UInt8>] {
    let size = NameEnding.length(of: [Array(Self.retryMark.utf8)], in: Array(stem))
    if size == 0 { return [] }
    let own = stem.dropLast(size)
    let number = own.reversed().prefix { (0x30...0x39).contains($0) }.count
    let rest = own.dropLast(number)
    guard number > 0, rest.count > 1, rest.last == UInt8(ascii: "~") else { return [own] }
    return [own, rest.dropLast()]
  }

  /// The stem, for people.
  package var text: String { String(decoding: stem, as: UTF8.self) }
}

/// Endings of names, written in small letters, compared without case.
package enum NameEnding {
  /// The length of the first of the endings that the name has after at least one byte; 0 without one.
  static func length(of endings: [[UInt8]], in name: [UInt8]) -> Int {
    endings.first { ends(name, $0) }?.count ?? 0
  }

  private static func ends(_ name: [UInt8], _ ending: [UInt8]) -> Bool {
    // A capital letter differs by 0x20; the dot has no capital.
    name.count > ending.count
      && zip(name.suffix(ending.count), ending).allSatisfy { byte, letter in
        byte == letter || (letter != 0x2E && byte | 0x20 == letter)
      }
  }
}
