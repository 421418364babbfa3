// SPDX-License-Identifier: Apache-2.0
// The frames of events: at most ten a second, the last state of each photo, and a number from which to continue.

import Show
import Testing

@Suite struct FrameBoardTests {
  @Test func `the first change leaves at once, the next ones together after a tenth of a second`() {
    var board = FrameBoard(after: 10)
    #expect(board.take(at: .zero) == nil && board.wait(at: .zero) == nil)
    board.add(photo: 3, state: 1)
    board.reached(11)
    #expect(board.take(at: .seconds(5)) == "id: 11\ndata: 3.1\n\n")
    for state in [1, 2] as [UInt8] { board.add(photo: 4, state: state) }
    board.add(photo: 2, state: 3)
    board.reached(15)
    #expect(board.take(at: .milliseconds(5099)) == nil)
    #expect(board.wait(at: .milliseconds(5030)) == .milliseconds(70))
    #expect(board.take(at: .milliseconds(5100)) == "id: 15\ndata: 4.2,2.3\n\n")
    #expect(board.take(at: .seconds(9)) == nil)
  }

  @Test func `a second has at most ten frames`() {
    var board = FrameBoard(after: 0)
    var frames = 0
    for millisecond in 0..<1000 {
      board.add(photo: UInt32(millisecond + 1), state: 2)
      if board.take(at: .milliseconds(millisecond)) != nil { frames += 1 }
    }
    #expect(frames == 10)
  }

  @Test func `a page that comes again after a part of the changes gets them all`() {
    var board = FrameBoard(after: 7)
    for number in 1...UInt32(FrameBoard.most + 1) { board.add(photo: number, state: 2) }
    board.add(list: "finished")
    board.reached(90_000)
    let first = board.take(at: .zero) ?? ""
    #expect(first.hasPrefix("data: 1.2,2.2,") && !first.contains("id:"))
    #expect(!first.contains("finished"))
    let second = board.take(at: .seconds(1))
    #expect(
      second
        == "id: 90000\ndata: \(FrameBoard.most + 1).2\n\nevent: list\ndata: finished\n\n")
    #expect(board.last == 90_000)
  }

  @Test func `notes for the page leave once`() {
    var board = FrameBoard(after: 7)
    for note in ["away", "away", "back", "again"] { board.add(note: note) }
    #expect(
      board.take(at: .zero)
        == "id: 7\nevent: away\ndata: \n\nevent: back\ndata: \n\nevent: again\ndata: \n\n")
    #expect(board.take(at: .seconds(1)) == nil)
  }
}
