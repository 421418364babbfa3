// SPDX-License-Identifier: Apache-2.0
// The results of one list from its first photo to its last, read in pieces of many rows.
// Concurrency model: one Mutex around the piece read last; meant for one caller.

internal import Synchronization
package import Vocabulary

package final class ResultReader: Sendable {
  private static let rowsAtOnce: UInt32 = 512

  private struct Piece {
    var first: UInt32 = 0
    var bytes: [UInt8] = []
  }

  private let list: ListID
  /// Nil where nothing was ever written.
  private let file: (any OpenFile)?
  private let piece = Mutex(Piece())

  init(_ list: ListID, _ file: (any OpenFile)?) {
    self.list = list
    self.file = file
  }

  /// Nil where nothing is known of the photo; `final` where its row is damaged.
  package func row(_ photo: UInt32) throws(Failure) -> ResultRow? {
    guard let file, photo > 0 else { return nil }
    let bytes = piece.withLock { piece in Self.slice(piece.bytes, from: piece.first, photo) }
    if let bytes { return try ResultRows.row(bytes, PhotoID(list: list, number: photo)) }
    let fresh: [UInt8]
    do throws(SystemError) {
      fresh = try file.read(
        at: ResultRows.offset(photo), upTo: Int(Self.rowsAtOnce) * ResultRow.size)
    } catch { throw error.machineFailure }
    piece.withLock { $0 = Piece(first: photo, bytes: fresh) }
    return try ResultRows.row(
      Array(fresh.prefix(ResultRow.size)), PhotoID(list: list, number: photo))
  }

  private static func slice(_ bytes: [UInt8], from first: UInt32, _ photo: UInt32) -> [UInt8]? {
    guard first > 0, photo >= first else { return nil }
    let start = Int(photo - first) * ResultRow.size
    guard start < bytes.count else { return nil }
    return Array(bytes[start..<min(start + ResultRow.size, bytes.count)])
  }
}
