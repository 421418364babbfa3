// SPDX-License-Identifier: Apache-2.0
// The photos of a catalog that are developed here: all, or a part, which is numbered from 1 again. So a part is
// a separate list for everything that counts photos; only names and results need the place in the whole list. Raises
// the failures of the catalog.
// Concurrency: immutable.

package import Vocabulary

package struct CatalogPart: Sendable {
  private let whole: CatalogFile
  private let part: NumberRanges?
  package let count: UInt32
  /// The photos that set a class.
  package let spans: [ClassSpan]

  package var numbers: Range<UInt32> { 1..<(count + 1) }
  package var options: ListOptions { whole.options }

  /// - Parameter part: numbers of photos in the whole list; those beyond its end are ignored.
  package init(_ whole: CatalogFile, part: NumberRanges? = nil) {
    self.whole = whole
    self.part = part
    guard let part else {
      (count, spans) = (whole.count, whole.spans)
      return
    }
    count = part.count(upTo: whole.count)
    spans = whole.spans.compactMap { span in
      let first = part.count(upTo: span.first - 1) + 1
      let last = part.count(upTo: span.last)
      return first <= last ? span.moved(to: first, last) : nil
    }
  }

  /// Reads the whole list.
  package func check() throws(Failure) { try whole.check() }

  /// The number in the whole list of a photo of this part.
  package func place(of number: UInt32) -> UInt32 {
    guard let part else { return number }
    // A number without a photo stays one.
    return part.number(at: number) ?? .max
  }

  /// The photo with this number, counted from 1 in the order of the part.
  package func entry(_ number: UInt32) throws(Failure) -> CatalogEntry {
    try whole.entry(place(of: number))
  }
}
