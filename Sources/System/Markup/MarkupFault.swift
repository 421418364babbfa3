// SPDX-License-Identifier: Apache-2.0
// Why a document is not acceptable XML, and where. The words follow the place: "line 4: …".

package struct MarkupFault: Equatable, Sendable {
  package enum Kind: Sendable {
    /// The document ends before its root element does.
    case truncated
    /// Something follows the root element.
    case trailing
    /// The document declares something in its DOCTYPE.
    case declaration
    /// The document uses an entity that is not built into XML.
    case entity
    /// A tag, comment or instruction is longer than `MarkupReader.longestToken`.
    case oversized
    /// The parser is out of memory.
    case memory
    case malformed
  }

  package let kind: Kind
  /// Counted from 1.
  package let line: UInt64
  /// Counted from 1, in bytes.
  package let column: UInt64
  /// From the start of the document.
  package let offset: UInt64
  package let words: String
}
