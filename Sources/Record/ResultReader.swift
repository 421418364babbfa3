// SPDX-License-Identifier: Apache-2.0
// Reads the results of one list in ascending order, many rows at once. Raises `Failure`.
// Concurrency model: one Mutex around the rows read last; meant for one caller.

internal import Synchronization
package import Vocabulary

package final class ResultReader: Sendable {
  private static let rowsAtOnce: UInt32 = 512

  private struct Piece {
    var first: UInt32 = 0
    var bytes: [UInt8] = []
  }

  private let list: ListID
  /// Nil when the list has no results file.
  private let file: (any OpenFile)?
  private let piece = Mutex(Piece())

  init(_ list: ListID, _ file: (any OpenFile)?) {
    self.list = list
    self.file = file
  }

  /// Nil for a photo without a row. Raises `results.damaged` (final) for a damaged row.
  package func row(_ photo: UInt32) throws(Failure) -> ResultRow? {
    guard let file, photo > 0 else { return nil }
    let bytes = piece.withLock { piece in Self.slice(piece.bytes, from: piece.first, photo) }
    if let bytes { return try ResultRows.row(bytes, PhotoID(list: list, number: photo)) }
    let fresh = try asMachine { () throws(SystemError) in
      let offset = ResultRows.offset(photo)
      do throws(SystemError) {
        return try file.read(at: offset, upTo: Int(Self.rowsAtOnce) * ResultRow.size)
      } catch {
        // A later row may be at fault.
        return try file.read(at: offset, upTo: ResultRow.size)
      }
    }
    piece.withLock { $0 = Piece(first: photo, bytes: fresh) }
    return try ResultRows.row(
      Array(fresh.prefix(ResultRow.size)), PhotoID(list: list, number: photo))
  }

  /// The row, or why it cannot be read.
  package func look(_ photo: UInt32) -> Result<ResultRow?, Failure> {
    do throws(Failure) { return .success(try row(photo)) } catch { return .failure(error) }
  }

  /// True if fewer photos have ended by their rows than by the record; a crash may have left more.
  package func lacks(_ counts: PhotoCounts, of count: UInt32) throws(Failure) -> Bool {
    if try filtered(of: count) < counts.filtered { return true }
    return try failed(of: count).count < Int(counts.failed)
  }

  /// The thumbnail of a photo that is far from the others: its row alone is read. A damaged row has no effect.
  package func thumbnail(_ photo: UInt32) -> Thumbnail? {
    guard let file, photo > 0,
      let bytes = try? file.read(at: ResultRows.offset(photo), upTo: ResultRow.size)
    else { return nil }
    return (try? ResultRows.row(bytes, PhotoID(list: list, number: photo)))?.thumbnail
  }

  /// The photos that failed by their rows; a damaged row has no effect.
  package func failed(of count: UInt32) throws(Failure) -> [UInt32] {
    try photos(.failed, of: count)
  }

  /// How many photos are filtered by their rows; a damaged row has no effect.
  package func filtered(of count: UInt32) throws(Failure) -> UInt32 {
    UInt32(try photos(.filtered, of: count).count)
  }

  private func photos(_ state: PhotoState, of count: UInt32) throws(Failure) -> [UInt32] {
    var numbers: [UInt32] = []
    for number in 0..<count {
      if number % 4096 == 0, Task.isCancelled { throw .cancelled }
      do throws(Failure) {
        if try row(number + 1)?.state == state { numbers.append(number + 1) }
      } catch { if error.kind != .final { throw error } }
    }
    return numbers
  }

  private static func slice(_ bytes: [UInt8], from first: UInt32, _ photo: UInt32) -> [UInt8]? {
    guard first > 0, photo >= first else { return nil }
    let start = Int(photo - first) * ResultRow.size
    guard start < bytes.count else { return nil }
    return Array(bytes[start..<min(start + ResultRow.size, bytes.count)])
  }
}
