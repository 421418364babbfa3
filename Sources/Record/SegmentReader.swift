// SPDX-License-Identifier: Apache-2.0
// Reads a segment line by line in bounded memory. A line longer than a record comes in pieces, which fail the
// checksum. Raises `Failure`.

internal import Vocabulary

struct SegmentReader {
  static let pieceBytes = 256 << 10

  private let file: any OpenFile

  init(_ file: any OpenFile) { self.file = file }

  /// The line is at `range` in `bytes` and at `offset` in the file, without its line end. `isEnded` is false
  /// for a piece without a line end.
  typealias Visit = (
    _ bytes: [UInt8], _ range: Range<Int>, _ offset: UInt64, _ isEnded: Bool
  ) throws(Failure) -> Void

  func forEachLine(_ visit: Visit) throws(Failure) {
    var buffer: [UInt8] = []
    var offset: UInt64 = 0
    while true {
      let piece = try read(at: offset + UInt64(buffer.count), upTo: Self.pieceBytes)
      let isLast = piece.isEmpty
      buffer = buffer.isEmpty ? piece : buffer + piece
      var start = 0
      var place = 0
      while place < buffer.count {
        if buffer[place] == 0x0A {
          try visit(buffer, start..<place, offset + UInt64(start), true)
          start = place + 1
        }
        place += 1
      }
      if start < buffer.count, isLast || buffer.count - start > JournalRecord.maximumBytes {
        try visit(buffer, start..<buffer.count, offset + UInt64(start), false)
        start = buffer.count
      }
      if isLast { return }
      offset += UInt64(start)
      buffer.removeFirst(start)
    }
  }

  /// Reads the first line as a header.
  func header() throws(Failure) -> SegmentHeader.Reading {
    let bytes = try read(at: 0, upTo: JournalRecord.maximumBytes)
    guard let end = bytes.firstIndex(of: 0x0A) else { return .damaged }
    return SegmentHeader.read(bytes, 0..<end)
  }

  private func read(at offset: UInt64, upTo count: Int) throws(Failure) -> [UInt8] {
    try asMachine { () throws(SystemError) in try file.read(at: offset, upTo: count) }
  }
}
