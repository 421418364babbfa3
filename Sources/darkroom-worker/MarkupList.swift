// SPDX-License-Identifier: Apache-2.0
// Where the reading of lists meets the reading of XML: `Catalog` and `Markup` do not know each other.

internal import Catalog
internal import Markup
internal import Vocabulary

struct MarkupList: MarkupSource {
  func read(
    _ next: () throws(Failure) -> [UInt8], into listener: any MarkupListener
  ) throws(Failure) -> MarkupTrouble? {
    let reader = MarkupReader<Failure>(
      open: { (name, hasAttributes, line) throws(Failure) in
        try listener.open(name, hasAttributes: hasAttributes, line: line)
      },
      text: { (bytes, line) throws(Failure) in try listener.text(bytes, line: line) },
      close: { (line) throws(Failure) in try listener.close(line: line) })
    return try reader.read(next: next).map {
      MarkupTrouble(
        kind: Self.kind($0.kind), line: $0.line, column: $0.column, offset: $0.offset,
        words: $0.words)
    }
  }

  private static func kind(_ kind: MarkupError.Kind) -> MarkupTrouble.Kind {
    switch kind {
    case .truncated: .truncated
    case .trailing: .trailing
    case .entity: .entity
    case .oversized: .oversized
    case .memory: .memory
    case .malformed: .malformed
    }
  }
}
