// SPDX-License-Identifier: Apache-2.0
// Files with several names. The kernel lets users link a file of another user that they may write: a name in the
// inbox that such a user gave it must not make a list of its owner.

import Linux
import Support
import Testing
import Vocabulary

@testable import Accept

@Suite struct LinkedDropTests {
  private static func code(_ attempt: Attempt) -> String? {
    if case .unreadable(let failure) = attempt { failure.code } else { nil }
  }

  /// A list in the inbox with another name outside of it.
  private func linked(_ mode: UInt32) throws -> (bench: ClaimBench, outside: String) {
    let bench = try ClaimBench()
    let outside = "\(bench.scratch.path)/outside"
    User.put(outside, "good end")
    User.mode(outside, mode)
    User.link(outside, "\(bench.inboxPath)/barn.plist")
    return (bench, outside)
  }

  @Test(arguments: [0o664, 0o646, 0o620] as [UInt32])
  func `a file that others may write becomes no list while it has another name`(mode: UInt32)
    async throws
  {
    let (bench, outside) = try linked(mode)
    #expect(Self.code(await bench.claim.attempt(try bench.candidate(), .lease)) == "list.linked")
    // The file is not rejected either.
    User.put(outside, "no list")
    #expect(Self.code(await bench.claim.attempt(try bench.candidate(), .lease)) == "list.linked")
    #expect(bench.rules.recorded.isEmpty && bench.rules.rejectedCodes.isEmpty)
    User.put(outside, "good end")
    User.unlink(outside)
    #expect(await bench.claim.attempt(try bench.candidate(), .lease) == .accepted(ListID(1)))
    try bench.expectTidy("at the end")
  }

  @Test(arguments: [0o644, 0o600] as [UInt32])
  func `a file that its owner alone may write becomes a list, whatever its names`(mode: UInt32)
    async throws
  {
    let (bench, _) = try linked(mode)
    #expect(await bench.claim.attempt(try bench.candidate(), .lease) == .accepted(ListID(1)))
    try bench.expectTidy("at the end")
  }

  @Test func `a link that is made between the look and the claim is seen`() async throws {
    let bench = try ClaimBench()
    try bench.inbox.put(ClaimBench.name, "good end")
    User.mode("\(bench.inboxPath)/barn.plist", 0o664)
    let seen = try bench.candidate()
    User.link("\(bench.inboxPath)/barn.plist", "\(bench.scratch.path)/outside")
    #expect(await bench.claim.attempt(seen, .lease) == .changed)
    #expect(bench.rules.recorded.isEmpty)
  }

  @Test func `a file of a list that is recorded leaves the inbox, whatever its names`() async throws
  {
    let bench = try ClaimBench()
    try bench.inbox.put(ClaimBench.name, "good end")
    User.mode("\(bench.inboxPath)/barn.plist", 0o664)
    try await bench.acceptInPlace()
    User.link("\(bench.inboxPath)/barn.plist", "\(bench.scratch.path)/outside")
    try await bench.settle()
    #expect(bench.rules.names == ["barn.plist"])
    try bench.expectTidy("at the end")
  }

  @Test func `such a file waits with the reason for its owner until its other name is gone`()
    async throws
  {
    let bench = try InboxBench()
    let outside = "\(bench.scratch.path)/outside"
    User.put(outside, "a end")
    User.mode(outside, 0o664)
    User.link(outside, bench.path("a.plist"))
    let file = try #require(await bench.settle().waiting.first)
    #expect(file.waitsFor.words(for: ThisProcess.user).contains("2 names (hard links)"))
    #expect(file.waitsFor.words(for: 54_321) == "the daemon cannot take it")
    User.unlink(outside)
    await bench.settle()
    #expect(try bench.accepted() == ["a.plist": "a end"])
    await bench.inbox.stop()
  }

  @Test func `a loose picture that others may write stays while it has another name`() async throws
  {
    let bench = try ClaimBench()
    let outside = "\(bench.scratch.path)/outside"
    User.put(outside, "a picture")
    User.mode(outside, 0o664)
    User.link(outside, "\(bench.inboxPath)/a.jpg")
    func loose() throws -> Candidate {
      try #require(try bench.candidates().first { $0.isLoose })
    }
    #expect(Self.code(await bench.claim.attempt(try loose(), .quiet)) == "list.linked")
    User.put("\(bench.inboxPath)/b.jpg", "another")
    #expect(await bench.claim.attempt(try loose(), .quiet) == .accepted(ListID(1)))
    #expect(try bench.inbox.listing() == [".claim", "a.jpg"])
    User.unlink(outside)
    #expect(await bench.claim.attempt(try loose(), .quiet) == .accepted(ListID(2)))
    try bench.expectTidy("at the end")
  }
}
