// SPDX-License-Identifier: Apache-2.0
// The notes about photos in memory, and their limit.

import Testing
import Vocabulary

@testable import darkroomd

@Suite struct PhotoNotesTests {
  private let reset = Failure(.passing, code: "connect.reset", reason: "the connection broke")

  private func photo(_ number: UInt32, of list: UInt64 = 1) -> PhotoID {
    PhotoID(list: ListID(list), number: number)
  }

  @Test func `a photo whose end is unsure is downloaded again, but only once`() {
    let notes = PhotoNotes()
    #expect(!notes.mayAskAgain(photo(1)))
    notes.downloaded(photo(1), isEndSure: false)
    #expect(notes.mayAskAgain(photo(1)) && !notes.mayAskAgain(photo(1)))
    notes.downloaded(photo(1), isEndSure: false)
    #expect(!notes.mayAskAgain(photo(1)), "it was asked again before")
    notes.downloaded(photo(2), isEndSure: false)
    notes.downloaded(photo(2), isEndSure: true)
    #expect(!notes.mayAskAgain(photo(2)))
  }

  @Test func `times are those of one stay in the window`() {
    let notes = PhotoNotes()
    notes.time(photo(1)) { $0.download = .seconds(1) }
    notes.time(photo(1)) { $0.filter = .seconds(2) }
    #expect(notes.time(of: photo(1)) == StageTime(download: .seconds(1), filter: .seconds(2)))
    #expect(notes.takeTime(photo(1)).filter == .seconds(2))
    #expect(notes.takeTime(photo(1)) == StageTime())
  }

  @Test func `of very many waiting photos the newest are remembered`() {
    let notes = PhotoNotes()
    let count = UInt32(PhotoNotes.most) * 3
    for number in 1...count {
      notes.failed(photo(number), reset)
      notes.downloaded(photo(number), isEndSure: false)
    }
    #expect(notes.failure(of: photo(count)) == reset)
    #expect(notes.failure(of: photo(count - UInt32(PhotoNotes.most) + 1)) == reset)
    #expect(notes.failure(of: photo(count - UInt32(PhotoNotes.most))) == nil)
  }

  @Test func `a photo or a list that has ended is forgotten`() {
    let notes = PhotoNotes()
    for list: UInt64 in 1...2 {
      for number: UInt32 in 1...3 {
        notes.failed(photo(number, of: list), reset)
        notes.time(photo(number, of: list)) { $0.queued = .seconds(1) }
      }
    }
    notes.ended(photo(1))
    notes.forget(ListID(2))
    #expect(notes.failure(of: photo(1)) == nil && notes.failure(of: photo(2)) == reset)
    #expect(notes.failure(of: photo(2, of: 2)) == nil)
    #expect(notes.time(of: photo(2, of: 2)) == StageTime())
  }

  @Test func `a bounded map keeps the latest additions, whatever was removed before`() {
    var map = RecentMap<Int, Int>(most: 10)
    var random = SystemRandomNumberGenerator()
    var model: [(key: Int, value: Int)] = []
    for step in 0..<5000 {
      let key = Int.random(in: 0..<30, using: &random)
      if Int.random(in: 0..<3, using: &random) == 0 {
        map[key] = nil
        model.removeAll { $0.key == key }
      } else {
        map[key] = step
        if let place = model.firstIndex(where: { $0.key == key }) {
          model[place].value = step
        } else {
          model.append((key, step))
          if model.count > 10 { model.removeFirst() }
        }
      }
      #expect(map.count == model.count)
      for (key, value) in model { #expect(map[key] == value) }
    }
  }
}
