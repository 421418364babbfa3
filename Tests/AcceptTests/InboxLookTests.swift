// SPDX-License-Identifier: Apache-2.0
// The costs of a look at the inbox: the statuses that it asks for.

import Files
import Linux
import Support
import Synchronization
import Testing
import Vocabulary

@testable import Accept

@Suite struct InboxLookTests {
  private func look(_ bench: ClaimBench, _ state: InboxState) -> InboxLook {
    var look = InboxLook(inbox: bench.inbox, pictures: true)
    look.ignored = state.ignoredNames
    return look
  }

  @Test func `a link or a FIFO costs no status where the folder says what it is`() throws {
    let bench = try ClaimBench()
    for name in ["link", "link.jpg", "link.plist"] {
      User.symlink("/etc/passwd", "\(bench.inboxPath)/\(name)")
    }
    User.fifo("\(bench.inboxPath)/link.png")
    var state = InboxState(InboxSettings())
    _ = state.swept(try look(bench, state).entries(), at: .zero)
    // Once they are known, not even the owner is asked for.
    FaultPlan.set(
      .init("fstatat", on: "\(bench.inboxPath)/link", code: 5, isPermanent: true),
      for: bench.inboxPath)
    defer { FaultPlan.set(nil, for: bench.inboxPath) }
    let entries = try look(bench, state).entries()
    #expect(entries.count == 4 && entries.allSatisfy { [.link, .special].contains($0.ignored) })
  }

  @Test func `of very many ignored names a look asks for some, and the next looks for the others`()
    throws
  {
    let bench = try ClaimBench()
    let count = 2 * IgnoredNames.mostAsked + 500
    for number in 0..<count { User.put("\(bench.inboxPath)/\(number).doc", "") }
    var state = InboxState(InboxSettings())
    for turn in 0..<4 {
      var walks = RollWalks()
      let sight = try look(bench, state).sight(&walks, at: .zero)
      #expect(sight.count == count && sight.entries.allSatisfy { $0.ignored == .suffix })
      // However many names there are.
      #expect(sight.entries.count <= IgnoredNames.mostAsked + IgnoredNames.most)
      #expect(turn < 3 || sight.entries.count == IgnoredNames.most)
      _ = state.swept(sight.entries, passed: sight.passed, at: .zero)
      #expect(state.report(at: .zero).ignoredCount == count)
    }
    let names = (0..<count).map { FileName(made: "\($0).doc") }
    #expect(names.allSatisfy { !state.ignoredNames.wantsOwner(of: $0) })
    // A user with that number of names does not use up the places of others.
    #expect(state.ignoredNames.wantsOwner(of: FileName(literal: "new.doc")))
  }

  @Test func `where the folder does not say what a name is, a folder among many names is found`()
    throws
  {
    let bench = try ClaimBench()
    let count = 2 * IgnoredNames.mostAsked
    for number in 0..<count { User.put("\(bench.inboxPath)/\(number).doc", "") }
    _ = try bench.inbox.folder(FileName(literal: "Barn"), creating: true)
    let asked = Mutex(0)
    bench.cut.onStep { step in if step.hasPrefix("status") { asked.withLock { $0 += 1 } } }
    var state = InboxState(InboxSettings())
    let barn = Candidate.Key(FileName(literal: "Barn"))
    for second in 0..<9 {
      let now = Duration.seconds(second)
      asked.withLock { $0 = 0 }
      var look = InboxLook(inbox: CutFolder(bench.inbox, bench.cut), pictures: true)
      look.ignored = state.ignoredNames
      state.beginWalks(at: now)
      let sight = try look.sight(&state.walks, at: now)
      #expect(sight.count == count + 1)
      #expect(asked.withLock { $0 } <= IgnoredNames.mostAsked + 10)
      _ = state.swept(sight.entries, passed: sight.passed, at: now)
      // Found, it stays.
      #expect(state.waiting[barn] != nil || second < 3, "\(second)")
    }
    bench.cut.onStep(nil)
  }

  @Test(
    arguments: ["x.txt", "x.plist", "x.jpg", "x"].flatMap { name in
      [13, 107].map { (name, $0 as Int32) }
    })
  func `a name that is covered by a closed or a dead mount hides no other`(
    name: String, code: Int32
  ) async throws {
    let bench = try ClaimBench()
    let covered = FileName(made: name)
    if name == "x" {
      _ = try bench.inbox.folder(covered, creating: true)
      User.put("\(bench.inboxPath)/x/a.jpg", "a")
    } else {
      User.put("\(bench.inboxPath)/\(name)", "x end")
    }
    User.put("\(bench.inboxPath)/barn.plist", "a end")
    User.put("\(bench.inboxPath)/b.jpg", "b")
    FaultPlan.set(
      .init("fstatat", on: "\(bench.inboxPath)/\(name)", code: code, isPermanent: true),
      for: bench.inboxPath)
    defer { FaultPlan.set(nil, for: bench.inboxPath) }
    let look = bench.claim.memory.look(at: bench.inbox)
    let entries = try look.entries()
    #expect(entries.filter { $0.ignored == .unreachable }.map { "\($0.key.name)" } == [name])
    #expect(try look.entry(Candidate.Key(covered))?.isCovered == true)
    try await bench.settle()
    #expect(bench.rules.names == ["b.plist", "barn.plist"])
    #expect(try bench.inbox.listing().sorted() == [".claim", name])
    FaultPlan.set(nil, for: bench.inboxPath)
    try await bench.settle()
    #expect(bench.rules.recorded.count == 3)
    try bench.expectTidy("at the end")
  }

  @Test(arguments: [("x.plist", false), ("x.txt", false), ("x.jpg", false), ("x", true)])
  func `an error of the disk at a file is trouble of the inbox, which no folder causes`(
    name: String, isFolder: Bool
  ) throws {
    let bench = try ClaimBench()
    let key = Candidate.Key(FileName(made: name))
    if isFolder {
      _ = try bench.inbox.folder(key.name, creating: true)
    } else {
      User.put("\(bench.inboxPath)/\(name)", "x end")
    }
    FaultPlan.set(
      .init("fstatat", on: "\(bench.inboxPath)/\(name)", code: 5, isPermanent: true),
      for: bench.inboxPath)
    defer { FaultPlan.set(nil, for: bench.inboxPath) }
    let look = bench.claim.memory.look(at: bench.inbox)
    if isFolder {
      let entries = try look.entries()
      #expect(entries.map(\.ignored) == [.unreachable])
    } else {
      #expect(throws: SystemError.self) { _ = try look.entries() }
      #expect(throws: SystemError.self) { _ = try look.entry(key) }
    }
  }

  @Test func `a picture above MaximumSize= stays where it is, and is not copied`() async throws {
    let bench = try ClaimBench()
    bench.rules.state.withLock { $0.largestPicture = 10 }
    _ = try bench.inbox.folder(FileName(literal: "Barn"), creating: true)
    for (name, text) in [
      ("a.jpg", "0123456789"), ("b.jpg", "0123456789a"), ("Barn/c.jpg", "c"),
      ("Barn/d.jpg", "0123456789d"),
    ] { User.put("\(bench.inboxPath)/\(name)", text) }
    let entries = try bench.claim.memory.look(at: bench.inbox).entries()
    let large = entries.filter { $0.ignored == .largePicture }
    #expect(large.map { "\($0.key.name)" } == ["b.jpg"])
    #expect(large.allSatisfy { $0.owner == ThisProcess.user })
    try await bench.settle()
    #expect(bench.rules.names == ["Barn.plist", "a.plist"])
    #expect(
      bench.rules.state.withLock { $0.left } == ["Barn/d.jpg: it is larger than MaximumSize="])
    #expect(try bench.inbox.listing().sorted() == [".claim", "Barn", "b.jpg"])
    // A reload allows more.
    bench.rules.state.withLock { $0.largestPicture = .max }
    try await bench.settle()
    #expect(bench.rules.recorded.count == 4)
    try bench.expectTidy("at the end")
  }
}

extension InboxLook {
  /// Goes through all folders.
  func entries() throws(SystemError) -> [InboxState.Entry] {
    var walks = RollWalks()
    return try sight(&walks, at: .zero).entries
  }
}
