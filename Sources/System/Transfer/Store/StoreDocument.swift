// SPDX-License-Identifier: Apache-2.0
// The XML that a store answers with: listings, and reports of errors. Only elements that contain no other elements
// matter.

import Markup
package import Vocabulary

package enum StoreDocument {
  /// An element without a known name has an empty one.
  package typealias Leaf = (name: OutsideText, text: [UInt8])

  /// In document order; nil if it is no such XML.
  package static func leaves(_ document: [UInt8]) -> [Leaf]? {
    var leaves: [Leaf] = []
    var open: Leaf?
    let reader = MarkupReader<Never>(
      open: { name, _, _ in open = (text(of: name), []) },
      text: { text, _ in
        for place in text.indices { open?.text.append(text[place]) }
      },
      close: { _ in
        if let leaf = open { leaves.append(leaf) }
        open = nil
      })
    var rest = document
    let error = reader.read {
      defer { rest = [] }
      return rest
    }
    return error == nil ? leaves : nil
  }

  private static func text(of bytes: Span<UInt8>) -> OutsideText {
    guard bytes.count <= OutsideText.longest else { return "" }
    return OutsideText(bytes.indices.map { bytes[$0] }) ?? ""
  }

  /// The keys of a listing; nil if it is none.
  package static func keys(_ document: [UInt8]) -> [[UInt8]]? {
    guard let leaves = leaves(document), leaves.contains(where: { $0.name == "IsTruncated" }) else {
      return nil
    }
    // A store that does not know the encoding does not say so.
    let isEncoded = leaves.contains { $0.name == "EncodingType" && $0.text == Array("url".utf8) }
    var keys: [[UInt8]] = []
    for leaf in leaves where leaf.name == "Key" {
      guard let key = isEncoded ? decoded(leaf.text) : leaf.text else { return nil }
      keys.append(key)
    }
    return keys
  }

  private static func decoded(_ text: [UInt8]) -> [UInt8]? {
    HexDigits.percentDecoded(text.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 })
  }
}
