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

  @Test func `pictures that wait for this machine are tried less and less often`() {
    var state = InboxState(InboxSettings())
    let full = Failure(.machine, code: "inbox.full", reason: "no room")
    let entry = roll(Self.barn, 1)
    _ = state.swept([entry], at: .zero)
    var (now, pauses) = (Duration.zero, [Duration]())
    for _ in 0..<8 {
      _ = state.glanced([(Self.barn, entry)], at: now)
      _ = state.attempted(Self.barn, .troubled(full), at: now)
      let pause = state.nextLook(at: now) ?? .zero
      pauses.append(pause)
      now += pause
    }
    #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
    // Room that is noticed ends the wait, and so does another picture.
    _ = state.attempted(Self.barn, .troubled(full), at: now)
    state.relieve(at: now)
    #expect(state.dueKeys(at: now) == [Self.barn])
    _ = state.attempted(Self.barn, .troubled(full), at: now)
    _ = state.glanced([(Self.barn, roll(Self.barn, 2))], at: now)
    #expect(state.nextLook(at: now) == InboxSettings().dwell)
  }

  @Test func `a folder whose turn has not come is not said to be copied`() {
    var state = InboxState(InboxSettings())
    var words: [String] = []
    func note(_ now: Duration) {
      words += state.report(at: now).waiting.map { $0.waitsFor.words(for: 7) }
    }
    for second in [0, 5] {
      let now = Duration.seconds(second)
      for action in state.swept([roll(Self.barn, 2)], at: now) {
        if case .probe(let candidate) = action {
          _ = state.probed(candidate.key, .unknown, at: now)
        }
      }
    }
    note(.seconds(5))
    // A sweep that does not find it, or finds it changed, does not forget the claim.
    _ = state.swept([], at: .seconds(6))
    _ = state.swept([roll(Self.barn, 3)], at: .seconds(7))
    note(.seconds(7))
    state.began(Self.barn)
    note(.seconds(8))
    let turn = "other pictures are copied first"
    #expect(words == [turn, turn, "it is being copied"])
    let hasChanged = state.hasChanged(Self.barn)
    #expect(hasChanged)
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

  /// A folder in the inbox as a look sees it, before it goes through the folder.
  private func top(
    _ name: FileName = RollStateTests.barn.name, inode: UInt64 = 99, changed: Int64 = 5
  ) -> RollWalks.Top {
    let status = FileStatus(
      kind: .folder, device: 1, inode: inode, size: 10, owner: 7, mode: 0, modified: 5,
      changed: changed)
    return RollWalks.Top(key: Candidate.Key(name), status: status)
  }

  /// Sweeps as a look does, with a roll of this many pictures or this obstacle in each folder that is looked through.
  /// Returns the names of these folders.
  @discardableResult private func sweep(
    _ state: inout InboxState, _ tops: [RollWalks.Top], rung: Set<FileName> = [], entries: Int = 0,
    _ obstacle: Failure? = nil, at now: Duration
  ) -> [FileName] {
    state.beginWalks(rung: rung, at: now)
    var (found, walked): ([InboxState.Entry], [FileName]) = ([], [])
    for turn in state.walks.turns(tops, at: now) {
      switch turn {
      case .skip(let top): found.append(.init(rollKey: top.key, state.walks.status(of: top)))
      case .walk(let top):
        if let next = state.walks.next(for: 7, at: now) {
          found.append(.init(rollKey: top.key, state.walks.status(of: top), postponed: next))
          continue
        }
        walked.append(top.key.name)
        state.walks.pay(entries, for: top.key, of: 7, at: now)
        found.append(
          .init(
            roll: Roll(top.key, top.status, pictures: [], obstacle: obstacle, entries: entries)))
      }
    }
    for case .probe(let candidate) in state.swept(found, at: now) {
      let finding = state.takeFinding(candidate.key)
      #expect(finding != nil, "what is probed was looked through just now")
      _ = state.probed(candidate.key, finding ?? .missing, at: now)
    }
    return walked
  }

  @Test func `a folder without pictures rests until it rings or changes, or for a minute`() {
    var state = InboxState(InboxSettings())
    for second in [0, 5] { sweep(&state, [top()], at: .seconds(second)) }
    #expect(state.waiting[Self.barn]?.phase == .withoutPictures)
    func rests(_ rung: Set<FileName> = [], changed: Int64 = 5, at second: Int) -> Bool {
      sweep(&state, [top(changed: changed)], rung: rung, at: .seconds(second)).isEmpty
    }
    let (barn, cow): (Set<FileName>, Set<FileName>) = ([Self.barn.name], [FileName(literal: "Cow")])
    #expect(rests(at: 6))
    #expect(!rests(barn, at: 8))
    #expect(rests(cow, at: 9))
    #expect(rests(at: 67))
    #expect(!rests(at: 68))
    #expect(rests(at: 69))
    #expect(!rests(changed: 6, at: 70), "the folder itself has changed")
    #expect(rests(changed: 6, at: 71))
  }

  @Test func `large folders of a user take turns, and small ones are not held up`() {
    let names = ["a", "b", "c", "d"].map { FileName(made: $0) }
    let small = FileName(literal: "small")
    var walks = RollWalks()
    var since: [FileName: Duration] = [:]
    var turns: [FileName: Int] = [:]
    for second in 1...480 {
      let now = Duration.seconds(second)
      let tops = (names + [small]).map { name in
        RollWalks.Top(key: .init(name), status: top(name, inode: UInt64(name.bytes[0])).status)
      }
      let known = tops.map { top in
        let known = RollWalks.Known(
          status: top.status, top: top.status, since: since[top.key.name] ?? .zero, isDue: false,
          rests: true)
        return (top.key, known)
      }
      walks.begin(Dictionary(uniqueKeysWithValues: known), at: now)
      walks.ring(Set(names + [small]))
      for case .walk(let top) in walks.turns(tops, at: now) {
        // The small folder belongs to another user.
        let owner: UInt32 = top.key.name == small ? 8 : 7
        guard walks.next(for: owner, at: now) == nil else { continue }
        walks.pay(owner == 8 ? 3 : 60_000, for: top.key, of: owner, at: now)
        since[top.key.name] = now
        turns[top.key.name, default: 0] += 1
      }
    }
    #expect(turns.removeValue(forKey: small) == 480)
    // 100,000 files in a minute, and as many at the start.
    #expect(turns.count == 4 && turns.values.allSatisfy { (3...4).contains($0) }, "\(turns)")
  }

  @Test func `no rename, touch or new folder of a user goes around the budget of looks`() {
    for act in ["rename", "touch", "replace", "many"] {
      var state = InboxState(InboxSettings())
      var (walks, latest) = (0, 0)
      for second in 0..<600 {
        let now = Duration.seconds(second)
        var tops = [top()]
        switch act {
        case "rename": tops = [top(FileName(made: "barn \(second)"))]
        case "touch": tops = [top(changed: Int64(second))]
        case "replace": tops = [top(inode: UInt64(second))]
        default: tops += (0..<50).map { top(FileName(made: "\(second) \($0)"), inode: UInt64($0)) }
        }
        walks += sweep(&state, tops, entries: 50_000, at: now).count
        // No look is due at once, and none for each of the folders alone.
        if let next = state.nextLook(at: now), next < .milliseconds(250) { latest += 1 }
      }
      // 100,000 files in a minute, as many at the start, and the last folder.
      #expect((2...23).contains(walks), "\(act): \(walks)")
      #expect(latest <= 2 * walks, "\(act): \(latest)")
    }
  }

  @Test func `a folder whose look is put off waits with the reason, until its turn`()
    throws
  {
    var state = InboxState(InboxSettings())
    let tops = [top(), top(FileName(literal: "cow"), inode: 100)]
    #expect(sweep(&state, tops, entries: 120_000, at: .zero).count == 1)
    let late = try #require(state.waiting[tops[1].key])
    #expect(late.phase == .postponed(next: try #require(state.walks.next(for: 7, at: .zero))))
    #expect(late.waitsFor.words(for: 7).hasSuffix("and at these later"))
    #expect(state.counts.waiting == 2)
    let times: [Duration] = [.milliseconds(250), .seconds(13)]
    let isAdmitted = times.map { state.admitsWalk(of: tops[0].key, at: $0) }
    #expect(isAdmitted == [false, true])
    #expect(sweep(&state, tops, entries: 3, at: .seconds(13)).count == 2)
    #expect(sweep(&state, tops, entries: 3, at: .seconds(19)) == [tops[1].key.name])
    #expect(state.waiting.values.allSatisfy { $0.phase == .withoutPictures })
  }

  @Test(arguments: [false, true])
  func `a folder that rested before its user was not let in wakes nobody up`(isLong: Bool) {
    let full = Failure(.final, code: "inbox.lists", reason: "too many lists")
    var state = InboxState(InboxSettings())
    for second in [0, 5] {
      let now = Duration.seconds(second)
      var actions = state.swept([roll(Self.barn, 2)], at: now)
      while let action = actions.popLast() {
        switch action {
        case .probe(let candidate): actions += state.probed(candidate.key, .unknown, at: now)
        case .attempt(let candidate, _):
          actions += state.attempted(candidate.key, .full(full), at: now)
        case .reject, .ignore: Issue.record("\(action)")
        }
      }
    }
    state.closure = .users([7])
    state.isHeldForLong = isLong
    // Its rest is over.
    for minute in 1...3 {
      let now = Duration.seconds(60 * minute)
      #expect(state.glanced([], at: now).isEmpty)
      #expect(state.nextLook(at: now) == .seconds(isLong ? 10 : 1))
    }
    state.closure = .none
    #expect(state.nextLook(at: .seconds(240)) == .zero)
  }

  @Test func `a folder without pictures whose look is put off has a time for that look`() throws {
    var state = InboxState(InboxSettings())
    let closed = Failure(.final, code: "pictures.closed", reason: "closed")
    sweep(&state, [top()], at: .zero)
    sweep(&state, [top()], closed, at: .seconds(5))
    sweep(&state, [top()], at: .seconds(10))
    #expect(state.waiting[Self.barn]?.phase == .withoutPictures)
    #expect(state.nextLook(at: .seconds(10)) == nil)
    let cow = top(FileName(literal: "cow"), inode: 100)
    sweep(&state, [top(), cow], entries: 240_000, at: .seconds(11))
    #expect(sweep(&state, [top(), cow], rung: [Self.barn.name], at: .seconds(12)).isEmpty)
    let next = try #require(state.walks.next(for: 7, at: .seconds(12)))
    #expect(!state.dueKeys(at: next - .seconds(1)).contains(Self.barn))
    #expect(state.dueKeys(at: next).contains(Self.barn))
    // Alone in the inbox.
    #expect(sweep(&state, [top()], at: .seconds(13)).isEmpty)
    #expect(state.nextLook(at: .seconds(13)) == next - .seconds(13))
    #expect(sweep(&state, [top()], at: next) == [Self.barn.name])
    #expect(state.waiting[Self.barn]?.phase == .withoutPictures && state.nextLook(at: next) == nil)
  }

  @Test
  func `of a full share of folders that the daemon may not change few are looked through`() {
    var state = InboxState(InboxSettings(waiting: WaitingLimits(total: 32, keepers: [0])))
    let failure = Failure(.final, code: "pictures.closed", reason: "closed")
    let tops = (0..<4).map { top(FileName(made: "\($0)"), inode: UInt64($0)) }
    var count = 0
    for second in 0..<3600 {
      count += sweep(&state, tops, failure, at: .seconds(second)).count
    }
    #expect(count > 0 && count <= 4 * 22, "\(count)")
    #expect(state.counts.unreadable == 4)
    // Its owner changes the access control list, which the mode does not show.
    let mended = [top(tops[0].key.name, inode: 0, changed: 6)] + tops.dropFirst()
    #expect(sweep(&state, mended, failure, at: .seconds(3600)) == [tops[0].key.name])
    #expect(sweep(&state, mended, failure, at: .seconds(3601)).isEmpty)
    // The next look comes soon: a folder below it may have been mended later.
    #expect(sweep(&state, mended, at: .seconds(3605)) == [tops[0].key.name])
    #expect(state.waiting[tops[0].key]?.needsPerson == false)
  }

  @Test func `a folder that the daemon may not change is unreadable`() {
    var state = InboxState(InboxSettings())
    let failure = Failure(.final, code: "pictures.closed", reason: "closed")
    _ = state.swept([roll(Self.barn, 1)], at: .zero)
    _ = state.swept([roll(Self.barn, 1)], at: .seconds(1))
    #expect(state.probed(Self.barn, .unreadable(failure), at: .seconds(1)).isEmpty)
    #expect(state.waiting[Self.barn]?.needsPerson == true)
  }

  @Test func `a roll changes with every picture, and with its folder`() {
    let statuses = [
      roll(Self.barn, 1), roll(Self.barn, 2), roll(Self.loose, 1), roll(Self.loose, 2),
    ].compactMap(\.status)
    #expect(Set(statuses.map(\.modified)).count == 4)
    #expect(statuses.map(\.size) == [10, 20, 10, 20])
  }
}
