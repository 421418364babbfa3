// SPDX-License-Identifier: Apache-2.0
// The inbox is open to a group: foreign things in it under the name of our claim folder.

import Glibc
import Linux
import Support
import Synchronization
import Testing
import Vocabulary

@testable import Accept

@Suite(.fewAtOnce) struct ForeignClaimTests {
  enum Foreign: String, CaseIterable, Sendable { case file, link, danglingLink, folder }

  /// Returns false if only root could make it.
  private static func put(_ foreign: Foreign, _ inbox: String) -> Bool {
    let path = "\(inbox)/.claim"
    switch foreign {
    case .file: User.put(path, "mine")
    case .link: User.symlink(inbox, path)
    case .danglingLink: User.symlink("nowhere", path)
    case .folder:
      guard ThisProcess.user == 0 else { return false }
      unsafe _ = mkdir(path, 0o755)
      unsafe _ = mkdir("\(path)/7", 0o755)
      User.put("\(path)/7/theirs.plist", "theirs end")
      unsafe _ = chown(path, 12345, 12345)
    }
    return true
  }

  @Test("The claim folder exists, and only we may use it, before the first list is dropped")
  func madeAtStart() async throws {
    let bench = try InboxBench()
    _ = await bench.inbox.settled()
    let status = try bench.folder.status(of: ClaimFolder.name)
    #expect(status.kind == .folder && status.mode & 0o777 == 0o700)
    User.mode(bench.path(".claim"), 0o777)
    _ = await bench.inbox.settled()
    #expect(try bench.folder.status(of: ClaimFolder.name).mode & 0o777 == 0o700)
    await bench.inbox.stop()
  }

  @Test("A lock of another user in our claim folder does not close the inbox")
  func foreignLock() async throws {
    guard ThisProcess.user == 0 else { return }
    let bench = try InboxBench { inbox in
      unsafe _ = mkdir("\(inbox)/.claim", 0o700)
      User.put("\(inbox)/.claim/.lock", "")
      unsafe _ = chown("\(inbox)/.claim/.lock", 12345, 12345)
    }
    User.put(bench.path("a.plist"), "a end")
    await bench.settle()
    #expect(try bench.accepted() == ["a.plist": "a end"])
    let claims = try bench.folder.folder(ClaimFolder.name, creating: false)
    #expect(try claims.status(of: FileName(literal: ".lock")).owner == 0)
    await bench.inbox.stop()
  }

  @Test(
    "A foreign thing in its place is moved aside, and lists are accepted",
    arguments: Foreign.allCases)
  func movedAside(_ foreign: Foreign) async throws {
    var isMade = false
    let bench = try InboxBench { inbox in
      User.put("\(inbox)/foreign-claim-1", "taken")
      isMade = Self.put(foreign, inbox)
    }
    guard isMade else { return await bench.inbox.stop() }
    User.put(bench.path("a.plist"), "a end")
    await bench.settle()
    // A folder that was moved aside might hold pictures.
    #expect(await bench.pass(.seconds(5)).isEmpty)
    #expect(try bench.accepted() == ["a.plist": "a end"])
    #expect(try bench.left() == ["foreign-claim-1", "foreign-claim-2"])
    #expect(try bench.folder.text("foreign-claim-1") == "taken")
    #expect(bench.rules.state.withLock { $0.troubles } == [])
    await bench.inbox.stop()
  }

  @Test("If it cannot be moved, one report says so, lists wait with the reason, and none is lost")
  func stuck() async throws {
    let bench = try InboxBench { inbox in
      _ = Self.put(.file, inbox)
      let fault = FaultPlan.Fault("renameat2", on: "\(inbox)/.claim", code: 1, isPermanent: true)
      FaultPlan.set(fault, for: inbox)
    }
    let owner = "\(bench.scratch.path)/inbox"
    defer { FaultPlan.set(nil, for: owner) }
    User.put(bench.path("a.plist"), "a end")
    for _ in 0..<3 {
      let report = await bench.settle()
      #expect(!report.isTroubled && report.candidates == 1)
      #expect(
        report.waiting.first?.waitsFor.words(for: 0).hasPrefix("the folder .claim in the inbox")
          == true)
      await bench.pass(.seconds(5))
    }
    #expect(bench.rules.recorded.isEmpty)
    #expect(bench.rules.state.withLock { $0.troubles } == ["inbox.claim"])
    #expect(bench.rules.state.withLock { $0.isClosed }, "no file can become a list")
    FaultPlan.set(nil, for: owner)
    await bench.pass(.seconds(5))
    #expect(await bench.settle().isEmpty)
    #expect(bench.rules.names == ["a.plist"])
    #expect(bench.rules.state.withLock { $0.troubles } == ["inbox.claim", nil])
    await bench.inbox.stop()
  }
}
