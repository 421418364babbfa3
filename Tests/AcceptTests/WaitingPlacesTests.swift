// SPDX-License-Identifier: Apache-2.0
// Users with more files in the inbox than one user may have waiting there: as values, and in a real inbox.

import Glibc
import Linux
import Support
import Synchronization
import Testing
import Vocabulary

@testable import Accept

@Suite(.fewAtOnce) struct WaitingPlacesTests {
  /// 32 places, of which a user gets 4; the user of the tests is like any other.
  private static let limits = WaitingLimits(total: 32, keepers: [0])
  private static let (ann, bob): (UInt32, UInt32) = (1001, 1002)
  private static let closed = Failure(
    .final, code: "list.unreadable", reason: "permission denied")

  private func state() -> InboxState {
    InboxState(InboxSettings(waiting: Self.limits))
  }

  private func files(
    _ count: Int, of owner: UInt32, version: Int = 1
  ) -> [InboxState.Entry] {
    (0..<count).map { DropWorld.entry("\(owner)-\($0).plist", version: version, owner: owner) }
  }

  private func probes(_ actions: [InboxState.Action]) -> [Candidate] {
    actions.compactMap { if case .probe(let candidate) = $0 { candidate } else { nil } }
  }

  /// Sweeps, and answers each probe with this.
  @discardableResult private func sweep(
    _ state: inout InboxState, _ entries: [InboxState.Entry], _ probe: Probe, at now: Duration
  ) -> [Candidate] {
    let due = probes(state.swept(entries, at: now))
    for candidate in due { _ = state.probed(candidate.key, probe, at: now) }
    return due
  }

  @Test func `unreadable files of one user, however many, delay no file of another`() {
    var state = state()
    let crowd = files(100, of: Self.ann)
    sweep(&state, crowd, .unreadable(Self.closed), at: .zero)
    sweep(&state, crowd, .unreadable(Self.closed), at: .seconds(1))
    #expect(state.waiting.count == 4 && state.crowd == [.user(Self.ann)])
    // The names come last.
    let all = crowd + files(1, of: Self.bob)
    _ = state.swept(all, at: .seconds(2))
    let due = probes(state.swept(all, at: .seconds(3)))
    #expect(due.map(\.status.owner) == [Self.bob])
  }

  @Test func `eight users are needed to take all places, and root has no share`() {
    var state = state()
    let users = (0..<7).flatMap { files(5, of: 2000 + $0) }
    _ = state.swept(users + files(10, of: 0), at: .zero)
    #expect(state.waiting.count == 32)
    #expect(state.crowd == Set((0..<7).map { .user(2000 + $0) } + [.everyone]))
    #expect(state.waiting.values.count { $0.candidate.status.owner == 0 } == 4)
    // The crowd is over when the files are gone.
    _ = state.swept(files(4, of: Self.ann), at: .seconds(1))
    #expect(state.crowd.isEmpty && state.waiting.count == 4)
  }

  @Test func `places that become free are used by the same sweep, or by one for half a share`() {
    var state = state()
    let all = files(10, of: Self.ann)
    _ = state.swept(all, at: .zero)
    let first = Set(state.waiting.keys)
    sweep(&state, all, .unreadable(Self.closed), at: .seconds(1))
    #expect(Set(state.waiting.keys) == first && !state.hasRoom)
    // Two lists leave the inbox, one by one: then a sweep is worth it.
    for (key, isEnough) in zip(first.sorted { $0.name < $1.name }, [false, true]) {
      _ = state.attempted(key, .accepted(ListID(1)), at: .seconds(1))
      #expect(state.hasRoom == isEnough)
    }
    let rest = all.filter { !first.contains($0.key) }
    _ = state.swept(all.filter { state.waiting[$0.key] != nil } + rest, at: .seconds(2))
    #expect(state.waiting.count == 4 && !state.hasRoom && state.crowd == [.user(Self.ann)])
    // Files that their user removed leave room at once.
    _ = state.swept(Array(rest.suffix(4)), at: .seconds(3))
    #expect(Set(state.waiting.keys) == Set(rest.suffix(4).map(\.key)) && state.crowd.isEmpty)
  }

  @Test func `a user at work on all of a share has room when files leave at any answer`() {
    let ends: [Attempt] = [
      .accepted(ListID(1)), .repeated(ListID(1)), .finished(ListID(1)), .rejected(ListID(1)),
      .missing,
    ]
    for end in ends {
      var state = state()
      _ = state.swept(files(5, of: Self.ann), at: .zero)
      for key in state.waiting.keys.prefix(2) { _ = state.attempted(key, end, at: .zero) }
      #expect(state.hasRoom, "\(end)")
    }
    var state = state()
    _ = state.swept(files(5, of: Self.ann), at: .zero)
    let keys = Array(state.waiting.keys)
    _ = state.probed(keys[0], .missing, at: .zero)
    _ = state.glanced([(keys[1], nil)], at: .zero)
    #expect(state.hasRoom)
  }

  @Test
  func `of a full share of unreadable files few are probed, however often the inbox is swept`() {
    var state = state()
    let crowd = files(100, of: Self.ann)
    var count = 0
    for second in 0..<3600 {
      let now = Duration.seconds(second)
      count += sweep(&state, crowd, .unreadable(Self.closed), at: now).count
      // Nothing but a sweep is due for them.
      if second > 0 { #expect(state.nextLook(at: now) == nil) }
    }
    #expect(count > 0 && count <= 4 * 20)
    // Their owner mends one.
    let mended = Array(state.waiting.keys)[0]
    let entries = crowd.map { entry in
      entry.key == mended
        ? DropWorld.entry("\(mended.name)", version: 2, owner: Self.ann) : entry
    }
    _ = state.swept(entries, at: .seconds(3600))
    #expect(state.dueKeys(at: .seconds(3601)).contains(mended))
  }

  @Test func `places are counted right after any changes, also of a file's owner`() {
    var random = SimulatedRandom(seed: 7)
    var places = WaitingPlaces(Self.limits)
    var mistakes = 0
    for _ in 0..<5000 {
      let name = "\(random.number(below: 40)).plist"
      let owner = 1000 + UInt32(random.number(below: 3))
      let entry = DropWorld.entry(name, version: 1, owner: owner)
      if random.oneIn(3) {
        places[entry.key] = nil
      } else if let status = entry.status, places.files[entry.key] != nil || places.admits(owner) {
        let candidate = Candidate(key: entry.key, status: status)
        places[entry.key] = WaitingFile(candidate, since: .zero)
      }
      if random.oneIn(50) { places.sweep { $0.candidate.status.owner != owner } }
      for owner in 1000..<1003 as Range<UInt32> {
        var copy = places
        let own = places.files.values.count { $0.candidate.status.owner == owner }
        if copy.admits(owner) != (own < 4 && places.files.count < 32) { mistakes += 1 }
      }
    }
    #expect(mistakes == 0)
  }

  @Test func `in a real inbox a list of another user is taken while a crowd waits`() async throws {
    // Only root can give files away.
    let crowd: UInt32 = ThisProcess.user == 0 ? 12345 : ThisProcess.user
    let bench = try InboxBench(waiting: WaitingLimits(total: 32, keepers: []))
    var open: [Int32] = []
    for number in 0..<9 {
      let path = bench.path("\(number).plist")
      open.append(User.open(path, O_WRONLY | O_CREAT))
      unsafe _ = chown(path, crowd, crowd)
    }
    let told = await bench.settle()
    #expect(told.candidates == 4)
    #expect(bench.rules.state.withLock(\.crowds) == ["user(\(crowd)): inbox.share"])
    if ThisProcess.user == 0 {
      User.put(bench.path("barn.plist"), "barn end")
      await bench.settle()
      #expect(try bench.accepted() == ["barn.plist": "barn end"])
    }
    // All of the crowd are lists, and no one drops anything more: they are taken share by share.
    for (number, file) in open.enumerated() {
      User.write(file, "\(number) end")
      close(file)
    }
    #expect(await bench.settle().candidates > 0, "the sweep after lists have left finds more")
    for _ in 0..<5 { await bench.settle() }
    #expect(try bench.accepted().filter { $0.key != "barn.plist" }.count == 9)
    #expect(bench.rules.state.withLock(\.crowds).last == "user(\(crowd)): over")
    await bench.inbox.stop()
  }

  @Test func `a user of whom no more lists are kept waits alone, and the inbox is not in trouble`()
    async throws
  {
    // Only root can give files away.
    let crowd: UInt32 = ThisProcess.user == 0 ? 12345 : ThisProcess.user
    let bench = try InboxBench()
    let full = Failure(.final, code: "inbox.lists", reason: "9 are kept", advice: "Remove some")
    bench.rules.state.withLock { $0.full = [crowd: full] }
    User.put(bench.path("cow.plist"), "cow end")
    unsafe _ = chown(bench.path("cow.plist"), crowd, crowd)
    let told = await bench.settle()
    #expect(told.candidates == 0 && told.helpless == 1 && told.waiting.first?.needsPerson == true)
    #expect(told.waiting.first?.waitsFor.words(for: crowd) == "9 are kept. Remove some")
    #expect(told.waiting.first?.waitsFor.words(for: 1) == "no list is let in now")
    #expect(bench.rules.state.withLock(\.crowds) == ["lists(\(crowd)): inbox.lists"])
    if ThisProcess.user == 0 {
      User.put(bench.path("barn.plist"), "barn end")
      await bench.settle()
      #expect(bench.rules.names == ["barn.plist"])
    }
    bench.rules.state.withLock { $0.full = [:] }
    #expect(await bench.pass(.seconds(1)).isEmpty)
    #expect(bench.rules.names.contains("cow.plist") && bench.troubles.isEmpty)
    #expect(bench.rules.state.withLock(\.crowds).last == "lists(\(crowd)): over")
    await bench.inbox.stop()
  }

  @Test func `pictures with long names of one user hide no picture of another`() throws {
    func picture(_ name: FileName, of owner: UInt32) -> Roll.Picture {
      Roll.Picture(
        path: [name],
        status: FileStatus(
          kind: .file, device: 1, inode: 1, size: 1, owner: owner, mode: 0o644, modified: 1,
          changed: 1))
    }
    let long = try #require(FileName(String(repeating: "n", count: 251) + ".jpg"))
    var loose = InboxLook.LoosePictures()
    for _ in 0...(Roll.maximumBytes / 256) { loose.add(picture(long, of: Self.ann)) }
    #expect(loose.pictures[Self.ann]?.count == Roll.maximumBytes / 256)
    loose.add(picture(FileName(literal: "barn.jpg"), of: Self.bob))
    #expect(loose.pictures[Self.bob]?.count == 1)
  }
}
