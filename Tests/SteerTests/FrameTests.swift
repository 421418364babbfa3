// SPDX-License-Identifier: Apache-2.0
// Messages cut out of a stream, which may arrive in any pieces.

import Steer
import Testing

struct FrameTests {
  @Test("messages are the same in pieces of any size", arguments: 1...24)
  func pieces(size: Int) throws {
    let messages = ["{\"method\":\"a\"}", "", "x", "{\"parameters\":{}}"].map { Array($0.utf8) }
    let stream = messages.reduce(into: [UInt8]()) { $0 += $1 + [0] }
    var frames = MessageFrames(limit: 64)
    var found: [[UInt8]] = []
    for start in stride(from: 0, to: stream.count, by: size) {
      frames.append(Array(stream[start..<min(start + size, stream.count)]))
      while let message = try frames.next() { found.append(message) }
    }
    #expect(found == messages)
    #expect(frames.isEmpty)
  }

  @Test
  func `a message above the limit is refused before its end arrives`() throws {
    var frames = MessageFrames(limit: 4)
    frames.append([1, 2, 3, 4, 0, 1, 2, 3, 4])
    #expect(try frames.next() == [1, 2, 3, 4])
    #expect(try frames.next() == nil)
    frames.append([5])
    #expect(throws: BadMessage(why: "it has more than 4 bytes")) { try frames.next() }
  }

  @Test
  func `a whole message above the limit is refused`() {
    var frames = MessageFrames(limit: 4)
    frames.append([1, 2, 3, 4, 5, 0])
    #expect(throws: BadMessage(why: "it has more than 4 bytes")) { try frames.next() }
  }
}
