// SPDX-License-Identifier: Apache-2.0
// Cuts a stream of bytes into varlink's messages, each ended by a NUL; the bytes may come in pieces of any
// size. Raises `BadMessage` for a message above the limit, even before its end has come.

package struct MessageFrames: Sendable {
  private let limit: Int
  private var bytes: [UInt8] = []
  /// Where the unread part begins, and how far it was searched for a NUL.
  private var start = 0
  private var seen = 0

  package init(limit: Int) { self.limit = limit }

  /// False while bytes wait here: part of a message, or whole messages.
  package var isEmpty: Bool { start == bytes.count }

  package mutating func append(_ piece: [UInt8]) { bytes.append(contentsOf: piece) }

  /// The next whole message, without its NUL.
  package mutating func next() throws(BadMessage) -> [UInt8]? {
    guard let end else {
      seen = bytes.count
      if seen - start > limit { throw tooLong }
      compact()
      return nil
    }
    if end - start > limit { throw tooLong }
    let message = Array(bytes[start..<end])
    start = end + 1
    seen = start
    if start == bytes.count { compact() }
    return message
  }

  private var tooLong: BadMessage { BadMessage(why: "it has more than \(limit) bytes") }

  /// Where the next message ends.
  private var end: Int? {
    let bytes = bytes.span
    return (seen..<bytes.count).first { bytes[$0] == 0 }
  }

  private mutating func compact() {
    guard start > 0 else { return }
    // An idle connection frees its memory.
    if start == bytes.count { bytes = [] } else { bytes.removeFirst(start) }
    seen -= start
    start = 0
  }
}
