// SPDX-License-Identifier: Apache-2.0
// Expat behind the seam of `Catalog`, as the worker joins them.

package import Catalog
internal import Markup
package import Vocabulary

package struct MarkupAdapter: MarkupSource {
  package init() {}

  package func read(
    _ next: () throws(Failure) -> [UInt8], into listener: any MarkupListener
  ) throws(Failure) -> MarkupTrouble? {
    let reader = MarkupReader<Failure>(
      open: { (name, hasAttributes, line) throws(Failure) in
        try listener.open(name, hasAttributes: hasAttributes, line: line)
      },
      text: { (bytes, line) throws(Failure) in try listener.text(bytes, line: line) },
      close: { (line) throws(Failure) in try listener.close(line: line) })
    guard let error = try reader.read(next: next) else { return nil }
    let kind: MarkupTrouble.Kind =
      switch error.kind {
      case .truncated: .truncated
      case .trailing: .trailing
      case .entity: .entity
      case .oversized: .oversized
      case .memory: .memory
      case .malformed: .malformed
      }
    return MarkupTrouble(
      kind: kind, line: error.line, column: error.column, offset: error.offset, words: error.words)
  }
}
