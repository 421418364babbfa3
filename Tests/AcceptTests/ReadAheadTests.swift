// SPDX-License-Identifier: Apache-2.0
// A file is read while it is too young to be tried: what was read counts only for the very same bytes,
// costs a writer nothing, and is bounded. That no cut step loses anything is in ClaimTests.

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
    bench.reception.state.withLock { $0.reads }
  }

  private static func readAhead(_ text: String = good) throws -> ClaimBench {
    let bench = try ClaimBench()
    try bench.inbox.put(ClaimBench.name, text)
    bench.claim.prepare(for: try bench.candidate())
    return bench
  }

  @Test("What was read ahead is not read again")
  func once() async throws {
    try await onOwnThread {
      let bench = try Self.readAhead()
      #expect(Self.reads(bench) == 1)
      #expect(bench.reception.recorded.isEmpty)
      try bench.settle(rounds: 1)
      #expect(try bench.acceptedTexts() == [Self.good])
      #expect(Self.reads(bench) == 1)
      try bench.expectTidy("read ahead")
    }
  }

  @Test(
    "Other bytes than those that were read ahead are read for themselves, whatever their status says",
    arguments: [
      "a newer list end", "b good list end", "end", "a good list, and far longer to the end",
    ])
  func changed(_ text: String) async throws {
    try await onOwnThread {
      let bench = try Self.readAhead()
      try bench.inbox.openFile(ClaimBench.name, .write).truncate(to: 0)
      User.put("\(bench.inboxPath)/barn.plist", text)
      try bench.settle(rounds: 1)
      #expect(try bench.acceptedTexts() == [text])
      #expect(Self.reads(bench) == 2)
      try bench.expectTidy("changed")
    }
  }

  @Test(
    "Another file than the one that was read ahead is read for itself, and so is that one later")
  func another() async throws {
    try await onOwnThread {
      let bench = try ClaimBench()
      let other = FileName(literal: "other.plist")
      try bench.inbox.put(ClaimBench.name, Self.good)
      try bench.inbox.put(other, "the other end")
      bench.claim.prepare(for: try bench.candidate())
      _ = bench.claim.attempt(try bench.candidate(other), .lease)
      _ = bench.claim.attempt(try bench.candidate(), .lease)
      #expect(try bench.acceptedTexts() == ["the other end", Self.good])
      #expect(Self.reads(bench) == 3)
      try bench.expectTidy("another")
    }
  }

  @Test("No file is read ahead while somebody writes to it, and its writer waits for nobody")
  func writer() async throws {
    try await onOwnThread {
      let bench = try ClaimBench()
      try bench.inbox.put(ClaimBench.name, Self.good)
      let path = "\(bench.inboxPath)/barn.plist"
      let writer = User.open(path, O_WRONLY)
      bench.claim.prepare(for: try bench.candidate())
      #expect(Self.reads(bench) == 0)
      close(writer)
      bench.clock.advance(by: .seconds(1))
      bench.claim.prepare(for: try bench.candidate())
      #expect(Self.reads(bench) == 1)
      // Where a lease were held, this would not open.
      let next = User.open(path, O_WRONLY | O_NONBLOCK)
      #expect(next >= 0)
      close(next)
    }
  }

  @Test("A file that changes again and again is not read each time")
  func restless() async throws {
    try await onOwnThread {
      let bench = try ClaimBench()
      for number in 0..<100 {
        User.put("\(bench.inboxPath)/barn.plist", "\(number) end")
        bench.claim.prepare(for: try bench.candidate())
        bench.clock.advance(by: .milliseconds(25))
      }
      // After a quarter of a second, a half, one.
      #expect(Self.reads(bench) == 4)
    }
  }

  @Test("Long files, empty ones and such as are no lists are left to the attempt")
  func unfit() async throws {
    try await onOwnThread {
      for text in [String(repeating: "x", count: 256 << 10) + "end", "", "no list"] {
        let bench = try Self.readAhead(text)
        #expect(Self.reads(bench) == (text == "no list" ? 1 : 0))
        #expect(bench.reception.rejectedCodes.isEmpty)
        let attempt = bench.claim.attempt(try bench.candidate(), .lease)
        if text.hasSuffix("end") {
          #expect(try bench.acceptedTexts() == [text])
        } else {
          guard case .refused = attempt else {
            throw Failure(.final, code: "test", reason: "\(attempt)")
          }
        }
      }
    }
  }

  @Test(
    "What came to nothing takes nothing of what was read ahead before with it",
    arguments: Spoiler.allCases)
  func spoiled(_ spoiler: Spoiler) async throws {
    try await onOwnThread {
      let bench = try ClaimBench()
      let other = FileName(literal: "other.plist")
      try bench.inbox.put(ClaimBench.name, Self.good)
      bench.claim.prepare(for: try bench.candidate())
      bench.clock.advance(by: .seconds(9))
      try bench.inbox.put(other, spoiler == .noList ? "no list" : "the other end")
      let writer = spoiler == .writer ? User.open("\(bench.inboxPath)/other.plist", O_WRONLY) : -1
      bench.cut.onStep { [cut = bench.cut] step in
        if spoiler == .sync, step.hasPrefix("sync"), cut.step == nil { cut.set(.fault, at: 1) }
      }
      bench.claim.prepare(for: try bench.candidate(other))
      bench.cut.onStep(nil)
      if spoiler == .sync { #expect(bench.cut.step != nil) }
      bench.cut.set(.never, at: 0)
      _ = bench.claim.attempt(try bench.candidate(), .lease)
      #expect(try bench.acceptedTexts() == [Self.good])
      if writer >= 0 { close(writer) }
    }
  }

  enum Spoiler: CaseIterable { case writer, noList, sync }

  @Test("What a worker has seen is not written over: other bytes go to other files")
  func otherFiles() async throws {
    try await onOwnThread {
      let bench = try Self.readAhead()
      let seen = try #require(bench.claim.laidOut?.catalog)
      User.put("\(bench.inboxPath)/barn.plist", "a newer list end")
      try bench.settle(rounds: 1)
      #expect(try bench.acceptedTexts() == ["a newer list end"])
      let folder = try bench.lists.openFolder(FileName(literal: "1"), creating: false)
      #expect(try folder.status(of: ListFolder.catalog).inode != seen.status().inode)
    }
  }

  @Test("That it is no list is known at the first attempt, and asked again at the next")
  func verdict() async throws {
    try await onOwnThread {
      let bench = try Self.readAhead("no list")
      for reads in 1...2 {
        let attempt = bench.claim.attempt(try bench.candidate(), .lease)
        guard case .refused(let failure, .lease) = attempt else {
          throw Failure(.final, code: "test", reason: "\(attempt)")
        }
        #expect(failure.code == "list.syntax")
        #expect(Self.reads(bench) == reads)
      }
    }
  }

  @Test("That a worker was too slow says nothing of the bytes: the attempt asks another")
  func timedOut() async throws {
    try await onOwnThread {
      let bench = try ClaimBench()
      try bench.inbox.put(ClaimBench.name, Self.good)
      bench.reception.state.withLock {
        $0.readFailure = Failure(.final, code: "worker.timeout", reason: "it took too long")
      }
      bench.claim.prepare(for: try bench.candidate())
      try bench.settle(rounds: 1)
      #expect(try bench.acceptedTexts() == [Self.good])
      #expect(Self.reads(bench) == 2)
    }
  }

  @Test("A worker that dies of it has died of it: once more, and it is set aside")
  func killer() async throws {
    try await onOwnThread {
      let bench = try ClaimBench(readsAhead: true)
      try bench.inbox.put(ClaimBench.name, "killer")
      try bench.settle()
      #expect(Self.reads(bench) == 2)
      #expect(bench.reception.state.withLock { $0.deaths } == [false, true])
      #expect(bench.reception.rejectedCodes == ["list.poison"])
    }
  }

  @Test("Of a list that is taken back before it is tried, nothing is left")
  func takenBack() async throws {
    let bench = try InboxBench()
    User.put(bench.path("a.plist"), Self.good)
    _ = await bench.inbox.sweepNow()
    #expect(try bench.lists.listing() == [".staged-1"])
    User.unlink(bench.path("a.plist"))
    _ = await bench.inbox.sweepNow()
    #expect(try bench.lists.listing().isEmpty)
    await bench.inbox.stop()
  }

  @Test("What nobody came for is gone when the inbox ends")
  func leftOver() async throws {
    try await onOwnThread {
      let bench = try Self.readAhead()
      #expect(try bench.lists.listing() == [".staged-1"])
      try bench.inbox.remove(ClaimBench.name)
      bench.claim.clearLayout()
      #expect(try bench.lists.listing().isEmpty)
    }
  }
}
