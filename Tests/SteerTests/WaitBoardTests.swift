// SPDX-License-Identifier: Apache-2.0
// The lists that `wait` shows on a terminal, and why one stands still.

import Steer
import Testing
import Vocabulary

@testable import darkroomctl

struct WaitBoardTests {
  private static let screen = ToolScreen(isTerminal: true)
  private static let status: StatusReport = {
    var status = Samples.status
    (status.hosts, status.moreHosts, status.degraded) = ([], 0, [])
    return status
  }()

  private func lines(
    _ list: ListSummary = Samples.list, _ photo: PhotoSummary? = nil,
    _ status: StatusReport = WaitBoardTests.status, columns: Int = 80
  ) -> [String] {
    var board = WaitBoard(lists: 1)
    board.note(list, at: 0)
    board.note(photo, status, at: 0, now: 1_763_712_390_000)
    return board.lines(from: 0, ToolScreen(isTerminal: true, columns: columns))
  }

  @Test func `the reason is that of the list, the daemon or the first photo`() {
    #expect(lines().count == 1)
    #expect(
      lines(Samples.list, Samples.photos[2])[1] == "  next attempt in 9 s: the origin is busy")
    #expect(
      lines(Samples.list, Samples.photos[2], columns: 40)[1]
        == "  next attempt in 9 s: the origin is b…")
    var list = Samples.list
    list.state = "paused"
    #expect(
      lines(list, Samples.photos[2])[1]
        == "  paused by its owner or root; 'resume 17' continues it")
    var status = Self.status
    let nodes = "photos of the cluster wait: no node takes new photos: a is drained"
    status.degraded = ["list 1 waits: no", nodes]
    #expect(lines(Samples.list, nil, status)[1] == "  \(nodes)")
    status.degraded = ["list 1 waits: no", "list 17 waits: input/output error"]
    #expect(lines(Samples.list, nil, status)[1] == "  waits: input/output error")
    status.state = "waiting: no space left on device"
    #expect(lines(Samples.list, nil, status)[1] == "  no space left on device")
  }

  @Test func `a list that is over waits for its files, and says why`() {
    var board = WaitBoard(lists: 1)
    var list = Samples.list
    list.state = "finished"
    board.note(list, at: 0)
    let isDue = board.isDue(0, at: .zero)
    #expect(isDue)
    var status = Self.status
    status.degraded = ["the copy of list 17 in done waits: no space left on device"]
    #expect(lines(list, Samples.photos[2], status)[1] == "  " + status.degraded[0])
    list.end.isReturned = true
    board.note(list, at: 0)
    let isDueAgain = board.isDue(0, at: .seconds(9))
    #expect(!isDueAgain)
  }

  @Test func `a list is asked about while none of its photos ends, every two seconds`() {
    var board = WaitBoard(lists: 1)
    let unknown = board.isDue(0, at: .zero)
    var list = Samples.list
    board.note(list, at: 0)
    let due = [0, 1, 2, 3].map { board.isDue(0, at: .seconds($0)) }
    #expect(!unknown && due == [true, false, true, false])
    board.note(Samples.photos[2], Self.status, at: 0, now: 0)
    list.pace.photosPerHour = 60
    board.note(list, at: 0)
    let isDue = board.isDue(0, at: .seconds(9))
    #expect(!isDue)
    list.state = "paused"
    board.note(list, at: 0)
    let isPausedDue = board.isDue(0, at: .seconds(9))
    #expect(isPausedDue, "its last photos ended in this minute")
    #expect(board.lines(from: 0, Self.screen).count == 1, "its photos end: no reason")
  }

  @Test func `lists for which there is no room are counted`() {
    var board = WaitBoard(lists: 30)
    for place in 0..<30 { board.note(Samples.list, at: place) }
    let screen = ToolScreen(isTerminal: true, rows: 10)
    #expect(board.lines(from: 0, screen).count == 9)
    #expect(board.lines(from: 0, screen).last == "and 22 more lists")
    #expect(board.lines(from: 21, screen).last == "and 1 more list")
    #expect(board.lines(from: 28, screen).count == 2)
  }

  @Test func `a pattern means every list that fits, of each name those with work left`() {
    let lists: [ListReference.Candidate] = [
      (1, "Holiday", 7, true), (2, "Holiday", 7, true), (3, "Holiday 2", 7, false),
      (4, "holiday 2", 7, true), (5, "Winter", 7, false), (6, "Holiday 2", 7, false),
    ]
    func all(_ text: String) -> [UInt64] { ListReference(text).all(among: lists, for: 7) }
    #expect(all("Holi*") == [2, 3, 4, 6] && all("*") == [2, 3, 4, 5, 6])
    #expect(all("W?nter") == [5] && all("Winter") == [5] && all("Spring*").isEmpty)
    #expect(all("Holiday 2").isEmpty, "ambiguous: the daemon words the error")
  }

  @Test func `a pattern means of each name the caller's lists, if there are some`() {
    let lists: [ListReference.Candidate] = [
      (1, "barn", 7, true), (2, "barn", 8, false), (3, "bern", 8, false), (4, "b*", 8, false),
    ]
    func all(_ text: String, _ caller: UInt32) -> [UInt64] {
      ListReference(text).all(among: lists, for: caller)
    }
    #expect(all("b?rn", 7) == [1, 3] && all("b?rn", 8) == [2, 3] && all("b?rn", 0) == [2, 3])
    #expect(all("b*", 7) == [1, 3, 4] && all("b*", 8) == [4])
  }
}
