// SPDX-License-Identifier: Apache-2.0
// When pictures are tried: the inbox's state machine as a value, with rolls as looks see them.

import Linux
import Testing
import Vocabulary

@testable import Accept

@Suite struct RollStateTests {
  private static let barn = Candidate.Key(FileName(literal: "Barn"))
  private static let loose = Candidate.Key(Roll.looseName, in: .loose(owner: 7))

  /// A look at a roll with this many pictures.
  private func roll(_ key: Candidate.Key, _ count: Int) -> InboxState.Entry {
    func status(_ kind: FileStatus.Kind, _ inode: Int) -> FileStatus {
      FileStatus(
        kind: kind, device: 1, inode: UInt64(inode), size: 10, owner: 7, mode: 0, modified: 5,
        changed: 5)
    }
    let pictures = (0..<count).map {
      Roll.Picture(path: [FileName(made: "\($0).jpg")], status: status(.file, $0))
    }
    return InboxState.Entry(roll: Roll(key, status(.folder, 99), pictures: pictures))
  }

  /// The acts of one state until the roll is tried; the time of the try, in seconds.
  private func tried(
    _ key: Candidate.Key, until end: Int, _ count: (Int) -> Int, probe: Probe = .unknown
  ) -> Int? {
    var state = InboxState(InboxSettings())
    for second in 0...end {
      let now = Duration.seconds(second)
      var actions = state.swept([roll(key, count(second))], at: now)
      while let action = actions.popLast() {
        switch action {
        case .probe(let candidate): actions += state.probed(candidate.key, probe, at: now)
        case .attempt(let candidate, let proof):
          #expect(candidate.isRoll && proof == .quiet)
          return second
        case .reject, .ignore: Issue.record("\(action)")
        }
      }
    }
    return nil
  }

  @Test func `a folder is tried when nothing was added for the quiet time`() {
    #expect(tried(Self.barn, until: 20, { _ in 3 }) == 5)
    // A picture every three seconds, for a minute.
    #expect(tried(Self.barn, until: 100, { min($0, 60) / 3 }) == 65)
  }

  @Test func `pictures in the inbox itself that keep coming are tried after ten quiet times`() {
    #expect(tried(Self.loose, until: 20, { _ in 3 }) == 5)
    #expect(tried(Self.loose, until: 1000, { 1 + $0 / 3 }) == 50)
  }

  @Test func `a folder without pictures is told once, and tried when it has some`() {
    var state = InboxState(InboxSettings())
    var told = 0
    var now = Duration.zero
    func step(_ state: inout InboxState, _ count: Int) -> Bool {
      var actions = state.swept([roll(Self.barn, count)], at: now)
      while let action = actions.popLast() {
        switch action {
        case .probe(let candidate):
          actions += state.probed(candidate.key, count == 0 ? .noPictures : .unknown, at: now)
        case .ignore(_, .noPictures): told += 1
        case .attempt: return true
        default: Issue.record("\(action)")
        }
      }
      now += .seconds(1)
      return false
    }
    for _ in 0..<20 { #expect(!step(&state, 0)) }
    #expect(told == 1 && state.nextLook(at: now) == nil)
    for _ in 0..<5 { #expect(!step(&state, 2)) }
    #expect(step(&state, 2))
  }

  @Test func `a folder without pictures rests until its watch rings, or for a minute`() {
    var state = InboxState(InboxSettings())
    for second in [0, 5] {
      let now = Duration.seconds(second)
      for case .probe(let candidate) in state.swept([roll(Self.barn, 0)], at: now) {
        _ = state.probed(candidate.key, .noPictures, at: now)
      }
    }
    #expect(state.waiting[Self.barn]?.phase == .withoutPictures)
    func rests(_ state: inout InboxState, _ rung: Set<FileName> = [], at second: Int) -> Bool {
      state.restingRolls(rung: rung, at: .seconds(second))[Self.barn] != nil
    }
    let (barn, cow): (Set<FileName>, Set<FileName>) = ([Self.barn.name], [FileName(literal: "Cow")])
    #expect(!rests(&state, at: 6))
    #expect(rests(&state, at: 7))
    #expect(!rests(&state, barn, at: 8))
    #expect(rests(&state, at: 9))
    #expect(rests(&state, cow, at: 65))
    #expect(!rests(&state, at: 66))
    #expect(rests(&state, at: 67))
  }

  @Test
  func `of large folders without pictures one has its turn in a minute, however often they ring`() {
    func folder(_ name: String, _ entries: Int, of owner: UInt32) -> WaitingFile {
      let status = FileStatus(
        kind: .folder, device: 1, inode: 9, size: 0, owner: owner, mode: 0, modified: 0, changed: 0)
      let candidate = Candidate(key: Candidate.Key(FileName(made: name)), status: status)
      var file = WaitingFile(candidate, since: .zero)
      file.walked(entries, at: .zero)
      return file
    }
    var walks = RollWalks()
    var large = ["a", "b", "c", "d"].map { folder($0, 60_000, of: 7) }
    let small = folder("small", 3, of: 8)
    let names = Set((large + [small]).map(\.candidate.name))
    var turns: [FileName: Int] = [:]
    for second in 1...480 {
      let now = Duration.seconds(second)
      let chosen = walks.choose(large + [small], rung: names, at: now)
      #expect(chosen.contains(small.candidate.key), "\(second)")
      for place in large.indices where chosen.contains(large[place].candidate.key) {
        large[place].walked(60_000, at: now)
        turns[large[place].candidate.name, default: 0] += 1
      }
    }
    #expect(turns.count == 4 && turns.values.allSatisfy { $0 == 2 }, "\(turns)")
  }

  @Test func `a folder that the daemon may not change is unreadable`() {
    var state = InboxState(InboxSettings())
    let failure = Failure(.final, code: "pictures.closed", reason: "closed")
    _ = state.swept([roll(Self.barn, 1)], at: .zero)
    _ = state.swept([roll(Self.barn, 1)], at: .seconds(1))
    #expect(state.probed(Self.barn, .unreadable(failure), at: .seconds(1)).isEmpty)
    #expect(state.waiting[Self.barn]?.isUnreadable == true)
  }

  @Test func `a roll changes with every picture, and with its folder`() {
    let statuses = [
      roll(Self.barn, 1), roll(Self.barn, 2), roll(Self.loose, 1), roll(Self.loose, 2),
    ].compactMap(\.status)
    #expect(Set(statuses.map(\.modified)).count == 4)
    #expect(statuses.map(\.size) == [10, 20, 10, 20])
  }
}
