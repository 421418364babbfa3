// SPDX-License-Identifier: Apache-2.0
// How the keys of a list are spelt: in property lists exactly, in JSON and CSV as programs usually write them.

package enum KeySpelling: Sendable {
  case exact
  /// In any case, with `_`, `-` and spaces anywhere: `quality_of_service` is `QualityOfService`.
  case usual

  func matches(_ key: ListText, _ name: String) -> Bool {
    switch self {
    case .exact: key.isText(name)
    case .usual: key.isWhole && Self.isUsual(key.bytes, name)
    }
  }

  private static func isUsual(_ key: [UInt8], _ name: String) -> Bool {
    var letters = name.utf8.makeIterator()
    for byte in key where byte != 0x5F && byte != 0x2D && byte != 0x20 {
      guard let letter = letters.next(), ListText.lowered(letter) == ListText.lowered(byte) else {
        return false
      }
    }
    return letters.next() == nil
  }
}
