// SPDX-License-Identifier: Apache-2.0
// The seam to whoever reads XML: the worker brings one along, `Catalog` knows none.

package import Vocabulary

package protocol MarkupSource: Sendable {
  /// Reads one document, whose bytes `next` gives piece by piece and none at the end, and tells
  /// `listener` of it. Entities must be refused. Nil when it was read whole; an error of the
  /// listener's or of `next` ends the reading.
  func read(
    _ next: () throws(Failure) -> [UInt8], into listener: any MarkupListener
  ) throws(Failure) -> MarkupTrouble?
}

package protocol MarkupListener: AnyObject {
  func open(_ element: Span<UInt8>, hasAttributes: Bool, line: UInt64) throws(Failure)
  /// A text comes in as many pieces as it likes.
  func text(_ bytes: Span<UInt8>, line: UInt64) throws(Failure)
  func close(line: UInt64) throws(Failure)
}

/// Why a document could not be read to its end, and where.
package struct MarkupTrouble: Error, Equatable, Sendable {
  package enum Kind: Sendable {
    case truncated
    /// Something follows the end of the document.
    case trailing
    case entity
    case oversized
    case memory
    case malformed
  }

  package let kind: Kind
  package let line: UInt64
  package let column: UInt64
  package let offset: UInt64
  package let words: String

  package init(kind: Kind, line: UInt64, column: UInt64, offset: UInt64, words: String) {
    self.kind = kind
    self.line = line
    self.column = column
    self.offset = offset
    self.words = words
  }
}
