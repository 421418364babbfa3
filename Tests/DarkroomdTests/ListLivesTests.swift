// SPDX-License-Identifier: Apache-2.0
// The relations between lists: taking over, and turns at opening.

import Testing
import Vocabulary

@testable import darkroomd

@Suite struct ListLivesTests {
  private typealias Deed = ListLives.Deed

  private let folder = FileName(literal: "Wallpapers")
  private let full = Failure(.machine, code: "disk.full", reason: "no space left on device")
  private func list(_ number: UInt64) -> ListID { ListID(number) }

  private func begin(
    _ lives: inout ListLives, _ number: UInt64, _ state: ListState = .accepted,
    revises: UInt64? = nil
  ) -> [Deed] {
    lives.begin(
      .init(list(number), state, prints: folder, revises: revises.map { ListID($0) }), at: .zero)
  }

  private func handle(
    _ lives: inout ListLives, _ number: UInt64, _ event: ListLife.Event
  ) -> [Deed] {
    lives.handle(event, of: list(number), at: .zero)
  }

  @Test func `a list that takes over waits until nothing of the earlier one runs`() {
    var lives = ListLives()
    #expect(begin(&lives, 1) == [Deed(list(1), .open)])
    _ = handle(&lives, 1, .opened(nil))
    #expect(
      begin(&lives, 2, revises: 1) == [Deed(list(1), .record(.cancelled, by: .successor(list(2))))])
    _ = handle(&lives, 1, .recorded(nil))
    #expect(
      handle(&lives, 1, .idle(1))
        == [
          Deed(list(1), .tell(.cancelled, by: .successor(list(2)))), Deed(list(2), .takeOver),
          Deed(list(1), .giveBack),
        ])
    #expect(handle(&lives, 2, .tookOver(nil)) == [Deed(list(2), .open)])
  }

  @Test func `a list that finishes by itself does not block its successor`() {
    var lives = ListLives()
    _ = begin(&lives, 1)
    _ = handle(&lives, 1, .opened(nil))
    _ = handle(&lives, 1, .photosDone)
    #expect(begin(&lives, 2, revises: 1).isEmpty, "it is being recorded as finished")
    let deeds = handle(&lives, 1, .recorded(nil))
    #expect(deeds.contains(Deed(list(2), .takeOver)))
  }

  @Test func `lists in a row take over one after the other, and each waits for all before it`() {
    var lives = ListLives()
    _ = begin(&lives, 1)
    _ = begin(&lives, 2, revises: 1)
    #expect(
      begin(&lives, 3, revises: 2) == [Deed(list(2), .record(.cancelled, by: .successor(list(3))))])
    // List 1 is being cancelled for 2; 3 asks for the same.
    _ = handle(&lives, 2, .recorded(nil))
    #expect(handle(&lives, 2, .idle(1)).contains(Deed(list(2), .giveBack)))
    _ = handle(&lives, 1, .recorded(nil))
    _ = handle(&lives, 1, .opened(nil))
    #expect(handle(&lives, 1, .idle(1)).contains(Deed(list(3), .takeOver)))
  }

  @Test func `a list waits for the list that it revises, even if the label of that one is unknown`()
  {
    var lives = ListLives()
    _ = lives.begin(.init(list(1), .accepted), at: .zero)
    let second = ListLives.Birth(
      list(2), .accepted, prints: FileName(literal: "barn"), revises: list(1))
    #expect(
      lives.begin(second, at: .zero) == [
        Deed(list(1), .record(.cancelled, by: .successor(list(2))))
      ])
  }

  @Test func `if the earlier list cannot be cancelled, taking over is tried again`() {
    var lives = ListLives()
    _ = begin(&lives, 1)
    _ = begin(&lives, 2, revises: 1)
    #expect(
      handle(&lives, 1, .recorded(full))
        == [Deed(list(2), .health(full)), Deed(list(2), .wake(after: .seconds(5)))])
    #expect(
      lives.handle(.timePassed, of: list(2), at: .seconds(5))
        == [Deed(list(1), .record(.cancelled, by: .successor(list(2))))])
  }

  @Test func `a limited number of lists opens at once, in order, without cancelled ones`() {
    var lives = ListLives(openings: 2)
    var begun: [ListID] = []
    for number: UInt64 in 1...5 {
      let deeds = lives.begin(.init(list(number), .accepted), at: .zero)
      begun += deeds.filter { $0.action == .open }.map(\.list)
    }
    #expect(begun == [list(1), list(2)])
    _ = handle(&lives, 3, .asked(.cancel, .person(1, user: 1000)))
    // A cancel does not wait for the turn of its list.
    #expect(handle(&lives, 3, .recorded(nil)).last == Deed(list(3), .awaitIdle(1)))
    #expect(handle(&lives, 1, .opened(nil)).first == Deed(list(4), .open))
    #expect(handle(&lives, 2, .opened(full)).first == Deed(list(5), .open))
  }

  @Test(
    "owners take turns at opening and at returning, and a place of four is for one without any",
    arguments: [ListState.accepted, .finished])
  func turns(state: ListState) {
    let isOpening = state == .accepted
    let action: ListLife.Action = isOpening ? .open : .giveBack
    var lives = ListLives()
    func begin(_ number: UInt64, of owner: UInt32) -> [UInt64] {
      lives.begin(.init(list(number), state, of: owner), at: .zero)
        .filter { $0.action == action }.map(\.list.number)
    }
    func end(_ number: UInt64) -> [UInt64] {
      handle(&lives, number, isOpening ? .opened(nil) : .returned(nil))
        .filter { $0.action == action }.map(\.list.number)
    }
    #expect((1...90).flatMap { begin($0, of: 1000) } == [1, 2, 3])
    #expect(lives.isWaitingForTurn(list(4)) && !lives.isWaitingForTurn(list(3)))
    #expect(begin(91, of: 1001) == [91], "its owner has none")
    #expect(begin(92, of: 1001).isEmpty && begin(93, of: 1002).isEmpty)
    #expect(end(1) == [93], "its owner had no turn yet")
    #expect(end(2).isEmpty, "the last place is kept")
    #expect(end(3) == [4] && end(91) == [92] && end(93) == [5])
    #expect(begin(94, of: 1002) == [94] && end(4).isEmpty)
    #expect(end(92) == [6] && end(94) == [7] && !lives.isWaitingForTurn(list(7)))
  }

  @Test func `a removal ends the wait for a turn at returning at once`() {
    var lives = ListLives(returns: 1)
    #expect(begin(&lives, 1, .finished) == [Deed(list(1), .giveBack)])
    #expect(begin(&lives, 2, .finished).isEmpty && begin(&lives, 3, .finished).isEmpty)
    #expect(handle(&lives, 1, .abandoned).isEmpty, "its return runs")
    #expect(handle(&lives, 2, .abandoned) == [Deed(list(2), .forget)])
    #expect(lives[list(2)] == nil)
    #expect(handle(&lives, 1, .returned(nil)).first == Deed(list(3), .giveBack))
  }

  @Test func `a list that is gone answers every request as over`() {
    var lives = ListLives()
    _ = begin(&lives, 1, .finished)
    #expect(handle(&lives, 1, .returned(nil)).last == Deed(list(1), .forget))
    #expect(lives.count == 0 && lives.isSettled)
    #expect(
      handle(&lives, 1, .asked(.pause, .person(7, user: 1000)))
        == [Deed(list(1), .answer(.person(7, user: 1000), OpenList.over))])
  }

  @Test func `a life begins once`() {
    var lives = ListLives()
    #expect(begin(&lives, 1).count == 1)
    #expect(begin(&lives, 1).isEmpty)
  }
}
