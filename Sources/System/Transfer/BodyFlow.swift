// SPDX-License-Identifier: Apache-2.0
// The pieces of one request's body. A server may send each byte as a chunk, and a chunk costs as much as many bytes.
// After a number of short chunks in one turn of the loop, the transfer makes way for other transfers, and libcurl
// joins the rest of the bytes that it read. A value.

struct BodyFlow {
  /// Nil before the first byte of a body, and for one that is not coded.
  var unpacker: BodyUnpacker?
  /// The transfer waits for the next turn of the loop.
  private(set) var makesWay = false
  private var shortPieces = 0
  /// The turn of the loop in which the short pieces came.
  private var turn: UInt64 = 0

  private static let shortSize = 1024
  /// So many take a fifth of a millisecond.
  private static let mostShort = 256

  /// False if the piece has to be offered again at the next turn.
  mutating func admit(_ size: Int, in turn: UInt64) -> Bool {
    if turn != self.turn { (self.turn, shortPieces) = (turn, 0) }
    if size < Self.shortSize { shortPieces += 1 }
    makesWay = shortPieces > Self.mostShort
    return !makesWay
  }

  mutating func goOn() { (makesWay, shortPieces) = (false, 0) }
}
