// SPDX-License-Identifier: Apache-2.0
// A file is read ahead while it is too young to be tried. The result counts only for the same bytes,
// costs a writer nothing, and is bounded. ClaimTests cuts a claim that reads ahead at every step.

import Glibc
import Linux
import Support
import Synchronization
import Testing
import Vocabulary

@testable import Accept

@Suite struct ReadAheadTests {
  static let good = "a good list end"

  private static func reads(_ bench: ClaimBench) -> Int {
    bench.rules.state.withLock { $0.reads }
  }

  private static func readAhead(_ text: String = good) async throws -> ClaimBench {
    let bench = try ClaimBench()
    try bench.inbox.put(ClaimBench.name, text)
    await bench.readAhead(try bench.candidate())
    return bench
  }

  @Test("A list that was read ahead is not read again")
  func once() async throws {
    let bench = try await Self.readAhead()
    #expect(Self.reads(bench) == 1)
    #expect(bench.rules.recorded.isEmpty)
    try await bench.settle(rounds: 1)
    #expect(try bench.acceptedTexts() == [Self.good])
    #expect(Self.reads(bench) == 1)
    try bench.expectTidy("read ahead")
  }

  @Test(
    "Bytes that differ from those read ahead are read again, even if the file status is the same",
    arguments: [
      "a newer list end", "b good list end", "end", "a good list, and far longer to the end",
    ])
  func changed(_ text: String) async throws {
    let bench = try await Self.readAhead()
    try bench.inbox.openFile(ClaimBench.name, .write).truncate(to: 0)
    User.put("\(bench.inboxPath)/barn.plist", text)
    try await bench.settle(rounds: 1)
    #expect(try bench.acceptedTexts() == [text])
    #expect(Self.reads(bench) == 2)
    try bench.expectTidy("changed")
  }

  @Test(
    "Trying another file drops the one read ahead, which is read again later")
  func another() async throws {
    let bench = try ClaimBench()
    let other = FileName(literal: "other.plist")
    try bench.inbox.put(ClaimBench.name, Self.good)
    try bench.inbox.put(other, "the other end")
    await bench.readAhead(try bench.candidate())
    _ = await bench.claim.attempt(try bench.candidate(other), .lease)
    _ = await bench.claim.attempt(try bench.candidate(), .lease)
    #expect(try bench.acceptedTexts() == ["the other end", Self.good])
    #expect(Self.reads(bench) == 3)
    try bench.expectTidy("another")
  }

  @Test("No file is read ahead while it has a writer, and reading ahead makes no writer wait")
  func writer() async throws {
    let bench = try ClaimBench()
    try bench.inbox.put(ClaimBench.name, Self.good)
    let path = "\(bench.inboxPath)/barn.plist"
    let writer = User.open(path, O_WRONLY)
    await bench.readAhead(try bench.candidate())
    #expect(Self.reads(bench) == 0)
    close(writer)
    bench.clock.advance(by: .seconds(1))
    await bench.readAhead(try bench.candidate())
    #expect(Self.reads(bench) == 1)
    // A held lease would make this open fail.
    let next = User.open(path, O_WRONLY | O_NONBLOCK)
    #expect(next >= 0)
    close(next)
  }

  @Test("A file that changes again and again is not read each time")
  func restless() async throws {
    let bench = try ClaimBench()
    for number in 0..<100 {
      User.put("\(bench.inboxPath)/barn.plist", "\(number) end")
      await bench.readAhead(try bench.candidate())
      bench.clock.advance(by: .milliseconds(25))
    }
    // At once, and after pauses of 250 ms, 500 ms and a second.
    #expect(Self.reads(bench) == 4)
  }

  @Test("Long files, empty files and files that do not read as lists are left to the attempt")
  func unfit() async throws {
    for text in [String(repeating: "x", count: 256 << 10) + "end", "", "no list"] {
      let bench = try await Self.readAhead(text)
      #expect(Self.reads(bench) == (text == "no list" ? 1 : 0))
      #expect(bench.rules.rejectedCodes.isEmpty)
      let attempt = await bench.claim.attempt(try bench.candidate(), .lease)
      if text.hasSuffix("end") {
        #expect(try bench.acceptedTexts() == [text])
      } else {
        guard case .refused = attempt else {
          throw Failure(.final, code: "test", reason: "\(attempt)")
        }
      }
    }
  }

  @Test(
    "A failed reading ahead leaves an earlier one intact",
    arguments: Spoiler.allCases)
  func spoiled(_ spoiler: Spoiler) async throws {
    let bench = try ClaimBench()
    let other = FileName(literal: "other.plist")
    try bench.inbox.put(ClaimBench.name, Self.good)
    await bench.readAhead(try bench.candidate())
    bench.clock.advance(by: .seconds(9))
    try bench.inbox.put(other, spoiler == .noList ? "no list" : "the other end")
    let writer = spoiler == .writer ? User.open("\(bench.inboxPath)/other.plist", O_WRONLY) : -1
    bench.cut.onStep { [cut = bench.cut] step in
      if spoiler == .sync, step.hasPrefix("sync"), cut.step == nil { cut.set(.fault, at: 1) }
    }
    await bench.readAhead(try bench.candidate(other))
    bench.cut.onStep(nil)
    if spoiler == .sync { #expect(bench.cut.step != nil) }
    bench.cut.set(.never, at: 0)
    _ = await bench.claim.attempt(try bench.candidate(), .lease)
    #expect(try bench.acceptedTexts() == [Self.good])
    if writer >= 0 { close(writer) }
  }

  enum Spoiler: CaseIterable { case writer, noList, sync }

  @Test("Files a worker has seen are not overwritten: other bytes go to other files")
  func otherFiles() async throws {
    let bench = try await Self.readAhead()
    let staged = try bench.lists.openFolder(FileName(literal: ".staged-1"), creating: false)
    let seen = try staged.status(of: ListFolder.catalog).inode
    User.put("\(bench.inboxPath)/barn.plist", "a newer list end")
    try await bench.settle(rounds: 1)
    #expect(try bench.acceptedTexts() == ["a newer list end"])
    let folder = try bench.lists.openFolder(FileName(literal: "1"), creating: false)
    #expect(try folder.status(of: ListFolder.catalog).inode != seen)
  }

  @Test(arguments: [true, false])
  func `a worker that writes to its file after its answer changes no catalog`(
    isAhead: Bool
  ) async throws {
    let bench = try ClaimBench()
    try bench.inbox.put(ClaimBench.name, Self.good)
    if isAhead { await bench.readAhead(try bench.candidate()) }
    // Before the catalog is checked, and after its list is accepted.
    let spoil: @Sendable () -> Void = { [rules = bench.rules] in
      for file in rules.state.withLock({ $0.written }) {
        try? file.write(Array("OVERWRITTEN".utf8), at: 0)
        try? file.truncate(to: 5)
      }
    }
    bench.rules.state.withLock { $0.onPrepare = spoil }
    try await bench.settle(rounds: 1)
    #expect(try bench.acceptedTexts() == [Self.good])
    spoil()
    #expect(bench.rules.state.withLock { $0.written.count } == 1)
    let folder = try bench.lists.openFolder(FileName(literal: "1"), creating: false)
    let catalog = try folder.open(ListFolder.catalog, .read).read(at: 0, upTo: 4096)
    #expect(String(decoding: catalog, as: UTF8.self) == "catalog of \(Self.good)")
  }

  @Test("The first attempt uses the verdict of reading ahead, the next one reads again")
  func verdict() async throws {
    let bench = try await Self.readAhead("no list")
    for reads in 1...2 {
      let attempt = await bench.claim.attempt(try bench.candidate(), .lease)
      guard case .refused(let failure, .lease) = attempt else {
        throw Failure(.final, code: "test", reason: "\(attempt)")
      }
      #expect(failure.code == "list.syntax")
      #expect(Self.reads(bench) == reads)
    }
  }

  @Test("A worker time-out says nothing about the bytes: the attempt reads them again")
  func timedOut() async throws {
    let bench = try ClaimBench()
    try bench.inbox.put(ClaimBench.name, Self.good)
    bench.rules.state.withLock {
      $0.readFailure = Failure(.final, code: "worker.timeout", reason: "it took too long")
    }
    await bench.readAhead(try bench.candidate())
    try await bench.settle(rounds: 1)
    #expect(try bench.acceptedTexts() == [Self.good])
    #expect(Self.reads(bench) == 2)
  }

  @Test("A death while reading ahead counts: after one more the list is set aside")
  func killer() async throws {
    let bench = try ClaimBench(readsAhead: true)
    try bench.inbox.put(ClaimBench.name, "killer")
    try await bench.settle()
    #expect(Self.reads(bench) == 2)
    #expect(bench.rules.state.withLock { $0.deaths } == [false, true])
    #expect(bench.rules.rejectedCodes == ["list.poison"])
  }

  @Test("Nothing is left of a list that is taken back before it is tried")
  func takenBack() async throws {
    let bench = try InboxBench()
    User.put(bench.path("a.plist"), Self.good)
    _ = await bench.inbox.settled()
    #expect(try bench.lists.listing() == [".staged-1"])
    User.unlink(bench.path("a.plist"))
    _ = await bench.inbox.settled()
    #expect(try bench.lists.listing().isEmpty)
    await bench.inbox.stop()
  }

  @Test("A reading ahead that was never used is removed when the inbox ends")
  func leftOver() async throws {
    let bench = try await Self.readAhead()
    #expect(try bench.lists.listing() == [".staged-1"])
    try bench.inbox.remove(ClaimBench.name)
    await bench.claim.memory.ahead.clear(bench.claim.memory)
    #expect(try bench.lists.listing().isEmpty)
  }
}
