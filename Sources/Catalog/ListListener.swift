// SPDX-License-Identifier: Apache-2.0
// What stands between whoever reads XML and the reader of lists, which is a value.

internal import Vocabulary

/// Concurrency model: one reading has one, on one thread; never shared.
final class ListListener: MarkupListener {
  private(set) var reader: MarkupListReader

  init(_ reader: MarkupListReader) { self.reader = reader }

  func open(_ element: Span<UInt8>, hasAttributes: Bool, line: UInt64) throws(Failure) {
    try reader.open(element, hasAttributes: hasAttributes, line: line)
  }

  func text(_ bytes: Span<UInt8>, line: UInt64) throws(Failure) {
    try reader.text(bytes, line: line)
  }

  func close(line: UInt64) throws(Failure) { try reader.close(line: line) }

  func finish() throws(Failure) { try reader.finish() }
}
