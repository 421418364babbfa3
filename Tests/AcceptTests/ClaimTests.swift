// SPDX-License-Identifier: Apache-2.0
// The order of steps in a claim: killed at every step and restarted, failed at every step and
// repeated.

import Linux
import Support
import Synchronization
import Testing
import Vocabulary

@testable import Accept

@Suite struct ClaimTests {
  static let good = "a good list end"

  @Test func `a number that was given back is drawn again only above all used ones`() async throws {
    let memory = try ClaimBench().claim.memory
    let (first, second, third) = (memory.drawNumber(), memory.drawNumber(), memory.drawNumber())
    await memory.giveBack(first)
    await memory.giveBack(third)
    memory.use(second)
    #expect(memory.drawNumber() == third)
    #expect(memory.drawNumber() > third)
    // Given back after a higher one was used.
    let late = memory.drawNumber()
    memory.use(memory.drawNumber())
    await memory.giveBack(late)
    #expect(memory.drawNumber() > late)
  }

  @Test(
    "A claim that is killed at any step, or fails there once, ends with the list accepted once",
    arguments: [Cut.Kind.kill, .fault], [false, true])
  func everyStep(_ kind: Cut.Kind, readsAhead: Bool) async throws {
    var steps = 0
    while true {
      steps += 1
      let bench = try ClaimBench(readsAhead: readsAhead)
      try bench.inbox.put(ClaimBench.name, Self.good)
      bench.cut.set(kind, at: steps)
      try await bench.settle(rounds: kind == .kill ? 1 : 4)
      guard let step = bench.cut.step else { break }
      try Self.expectPromise(bench, step)
      if kind == .kill {
        try await bench.restart()
        try await bench.settle()
      }
      #expect(try bench.acceptedTexts() == [Self.good], "\(kind) at \(step)")
      #expect(bench.rules.state.withLock { $0.accepts } == 1, "\(kind) at \(step)")
      try await bench.restart()
      try bench.expectTidy("\(kind) at \(step)")
    }
    #expect(steps > 40)
  }

  @Test func `a draft is given up when its claim fails, unless its list may still be recorded`()
    async throws
  {
    var (steps, kept) = (0, 0)
    while true {
      steps += 1
      let bench = try ClaimBench()
      try bench.inbox.put(ClaimBench.name, Self.good)
      bench.cut.set(.fault, at: steps)
      try await bench.settle(rounds: 1)
      guard let step = bench.cut.step else { break }
      let drafts = bench.rules.state.withLock { $0.drafts }
      #expect(drafts.isSubset(of: bench.claim.memory.drops.keys), "\(step)")
      kept += drafts.count
      // The file is changed before its list is recorded: that list never comes.
      User.put("\(bench.inboxPath)/barn.plist", "newer end")
      try await bench.settle()
      #expect(bench.rules.state.withLock { $0.drafts.isEmpty }, "\(step)")
    }
    #expect(steps > 40 && kept > 0)
  }

  @Test(
    "A restart that is killed at any step loses nothing and accepts nothing twice",
    arguments: [5, 20, 30, 34, 38, 42, 44, 46, 48, 50, 52])
  func killedRestart(_ first: Int) async throws {
    var steps = 0
    while true {
      steps += 1
      let bench = try ClaimBench()
      try bench.inbox.put(ClaimBench.name, Self.good)
      bench.cut.set(.kill, at: first)
      try await bench.settle(rounds: 1)
      bench.cut.set(.kill, at: steps)
      try? await InboxRecovery(claim: bench.fresh()).run()
      let isOver = bench.cut.step == nil
      try await bench.restart()
      try await bench.settle()
      #expect(try bench.acceptedTexts() == [Self.good], "\(first), \(steps)")
      try bench.expectTidy("\(first), \(steps)")
      if isOver { break }
    }
  }

  @Test(
    "A file replaced while its list is recorded is a new list, whichever step is cut",
    arguments: [Cut.Kind.kill, .fault], [false, true])
  func replacedMeanwhile(_ kind: Cut.Kind, readsAhead: Bool) async throws {
    var steps = 0
    while true {
      steps += 1
      let bench = try ClaimBench(readsAhead: readsAhead)
      try bench.inbox.put(ClaimBench.name, Self.good)
      try bench.scratch.folder.put(FileName(literal: "new"), "newer end")
      let (old, new) = ("\(bench.scratch.path)/new", "\(bench.inboxPath)/barn.plist")
      bench.rules.state.withLock { $0.onAccept = { User.rename(old, new) } }
      bench.cut.set(kind, at: steps)
      try await bench.settle(rounds: kind == .kill ? 1 : 4)
      guard let step = bench.cut.step else { break }
      try await bench.restart()
      try await bench.settle()
      let texts = Set(try bench.acceptedTexts())
      // After a cut before the first record, the newer file replaces the older one unseen.
      #expect(texts.contains("newer end"), "\(kind) at \(step)")
      #expect(bench.rules.recorded.count == texts.count, "\(kind) at \(step)")
      try await bench.restart()
      try bench.expectTidy("\(kind) at \(step)")
    }
  }

  @Test func `a sweep does not see a file that leaves the inbox, and its list counts once`()
    async throws
  {
    let sight = Mutex<(seen: [[String]], entering: [Int])>(([], []))
    let memory = Mutex<(ClaimMemory, LinuxFolder)?>(nil)
    let bench = try ClaimBench { _ in
      guard let (claims, inbox) = memory.withLock({ $0 }) else { return }
      let names = (try? claims.look(at: inbox).entries().map { "\($0.key.name)" }) ?? ["unseen"]
      sight.withLock { sight in
        sight.seen.append(names)
        sight.entering.append(claims.entering)
      }
    }
    try bench.inbox.put(ClaimBench.name, Self.good)
    memory.withLock { $0 = (bench.claim.memory, bench.inbox) }
    #expect(
      await bench.claim.attempt(try bench.candidate(), .lease) == .accepted(ListID(1)))
    let (seen, entering) = sight.withLock { $0 }
    // Published; about to leave; gone.
    let there = ["barn.plist"]
    #expect(seen == [there, there, []])
    #expect(entering == [1, 0, 0], "it is recorded before it leaves")
    #expect(bench.claim.memory.entering == 0)
  }

  @Test(arguments: 1...3 as ClosedRange<Int>)
  func `a file replaced while its list is synced is a list of its own`(sync: Int) async throws {
    let count = Mutex(0)
    let place = Mutex("")
    let bench = try ClaimBench { _ in
      let number = count.withLock { count in
        count += 1
        return count
      }
      let path = place.withLock { $0 }
      if number == sync { User.rename("\(path)/new", "\(path)/inbox/barn.plist") }
    }
    place.withLock { $0 = bench.scratch.path }
    try bench.inbox.put(ClaimBench.name, Self.good)
    try bench.scratch.folder.put(FileName(literal: "new"), "newer end")
    try await bench.settle()
    #expect(Set(try bench.acceptedTexts()) == [Self.good, "newer end"])
    try await bench.restart()
    try bench.expectTidy("replaced at sync \(sync)")
  }

  @Test func `a changed file that goes back to the inbox replaces no newer one of its name`()
    async throws
  {
    let bench = try ClaimBench()
    try bench.inbox.put(ClaimBench.name, Self.good)
    let news = ["newer end", "newest end"]
    for text in news { try bench.scratch.folder.put(FileName(made: text), text) }
    let (place, path) = (bench.scratch.path, bench.inboxPath)
    let count = Mutex(0)
    // Before the first such rename takes the file, another comes; before the second puts that back, a third.
    bench.cut.onStep { step in
      guard step == "rename barn.plist to barn.plist" else { return }
      let number = count.withLock { count in
        count += 1
        return count
      }
      if number <= news.count { User.rename("\(place)/\(news[number - 1])", "\(path)/barn.plist") }
    }
    let end = await bench.claim.attempt(try bench.candidate(), .lease)
    #expect(end == .changed && count.withLock { $0 } == 2)
    #expect(try bench.inbox.text(ClaimBench.name) == "newest end")
    let claims = try bench.inbox.openFolder(ClaimFolder.name, creating: false)
    let nest = try claims.openFolder(FileName(literal: "1"), creating: false)
    #expect(try nest.text("barn.plist") == news[0])
    bench.cut.onStep(nil)
    try await bench.settle()
    #expect(Set(try bench.acceptedTexts()) == Set([Self.good] + news))
    #expect(try bench.candidates().isEmpty)
  }

  @Test func `a hard link to a list that has not left the inbox yet is another drop`() async throws
  {
    let bench = try ClaimBench()
    try bench.inbox.put(ClaimBench.name, Self.good)
    User.link("\(bench.inboxPath)/barn.plist", "\(bench.inboxPath)/copy.plist")
    try await bench.acceptInPlace()
    let copy = try bench.candidate(FileName(literal: "copy.plist"))
    #expect(await bench.claim.attempt(copy, .lease) == .accepted(ListID(2)))
    #expect(try bench.inbox.has(ClaimBench.name))
    try await bench.settle()
    #expect(bench.rules.names == ["barn.plist", "copy.plist"])
    try bench.expectTidy("at the end")
  }

  @Test(
    "A file that does not read as a list is set aside once, whichever step is cut",
    arguments: [Cut.Kind.kill, .fault], [false, true])
  func rejectedAtEveryStep(_ kind: Cut.Kind, readsAhead: Bool) async throws {
    var steps = 0
    while true {
      steps += 1
      let bench = try ClaimBench(readsAhead: readsAhead)
      try bench.inbox.put(ClaimBench.name, "no list")
      bench.cut.set(kind, at: steps)
      try await bench.settle(rounds: kind == .kill ? 1 : 4)
      guard let step = bench.cut.step else { break }
      if try bench.candidates().isEmpty {
        #expect(try bench.failed.text("barn.plist") == "no list", "\(kind) at \(step)")
        #expect(!bench.rules.rejectedCodes.isEmpty, "\(kind) at \(step)")
      }
      try await bench.restart()
      try await bench.settle()
      try bench.expectTidy("\(kind) at \(step)")
      let names = try bench.failed.listing()
      #expect(names == ["barn.plist", "barn.plist.reason.txt"], "\(kind) at \(step)")
      #expect(Set(bench.rules.rejectedCodes) == ["list.syntax"], "\(kind) at \(step)")
    }
    #expect(steps > 40)
  }

  @Test("A stop ends the copy of a large list after the current piece")
  func stoppedWhileCopied() async throws {
    let bench = try ClaimBench()
    let text = String(repeating: "x", count: 1_000_000) + "end"
    try bench.inbox.put(ClaimBench.name, text)
    let pieces = Mutex(0)
    bench.cut.onStep { step in
      guard step == "write list.plist" else { return }
      pieces.withLock { $0 += 1 }
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
    }
    let candidate = try bench.candidate()
    let attempt = Task { await bench.claim.attempt(candidate, .lease) }
    #expect(await attempt.value == .interrupted)
    #expect(pieces.withLock { $0 } == 1)
    #expect(try bench.inbox.text(ClaimBench.name) == text)
    bench.cut.onStep(nil)
    try await bench.restart()
    try await bench.settle()
    #expect(try bench.acceptedTexts() == [text])
    try bench.expectTidy("stopped")
  }

  /// Promise one: a list that is gone from the inbox is durable.
  private static func expectPromise(_ bench: ClaimBench, _ step: String) throws {
    if try bench.candidates().isEmpty {
      #expect(try bench.acceptedTexts() == [Self.good], "\(step)")
    }
  }
}
