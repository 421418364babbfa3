// SPDX-License-Identifier: Apache-2.0
// The inbox is open to a group: what somebody puts there under our own folder's name.

import Glibc
import Linux
import Support
import Synchronization
import Testing
import Vocabulary

@testable import Accept

@Suite(.fewAtOnce) struct ForeignClaimTests {
  enum Foreign: String, CaseIterable, Sendable { case file, link, danglingLink, folder }

  /// False where only the superuser could make it.
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

  @Test("The folder for claims is there, and ours alone, before anybody drops a list")
  func madeAtStart() async throws {
    let bench = try InboxBench()
    _ = await bench.inbox.sweepNow()
    let status = try bench.folder.status(of: ClaimFolder.name)
    #expect(status.kind == .folder && status.mode & 0o777 == 0o700)
    User.mode(bench.path(".claim"), 0o777)
    _ = await bench.inbox.sweepNow()
    #expect(try bench.folder.status(of: ClaimFolder.name).mode & 0o777 == 0o700)
    await bench.inbox.stop()
  }

  @Test(
    "What somebody put in its place is moved aside, and lists are accepted",
    arguments: Foreign.allCases)
  func movedAside(_ foreign: Foreign) async throws {
    var isMade = false
    let bench = try InboxBench { inbox in
      User.put("\(inbox)/foreign-claim-1", "taken")
      isMade = Self.put(foreign, inbox)
    }
    guard isMade else { return await bench.inbox.stop() }
    User.put(bench.path("a.plist"), "a end")
    #expect(await bench.settle().isEmpty)
    #expect(try bench.accepted() == ["a.plist": "a end"])
    #expect(try bench.left() == ["foreign-claim-1", "foreign-claim-2"])
    #expect(try bench.folder.text("foreign-claim-1") == "taken")
    #expect(bench.reception.state.withLock { $0.troubles } == [])
    await bench.inbox.stop()
  }

  @Test("Where it cannot be moved, that is said once, lists wait with the reason, and none is lost")
  func stuck() async throws {
    let bench = try InboxBench { inbox in
      _ = Self.put(.file, inbox)
      let fault = FaultPlan.Fault("renameat", on: "\(inbox)/.claim", code: 1, isPermanent: true)
      FaultPlan.set(fault, for: inbox)
    }
    let owner = "\(bench.scratch.path)/inbox"
    defer { FaultPlan.set(nil, for: owner) }
    User.put(bench.path("a.plist"), "a end")
    for _ in 0..<3 {
      let report = await bench.settle()
      #expect(!report.isTroubled && report.candidates == 1)
      #expect(report.waiting.first?.waitsFor.hasPrefix("the folder .claim in the inbox") == true)
      bench.clock.advance(by: .seconds(5))
    }
    #expect(bench.reception.recorded.isEmpty)
    #expect(bench.reception.state.withLock { $0.troubles } == ["inbox.claim"])
    FaultPlan.set(nil, for: owner)
    bench.clock.advance(by: .seconds(5))
    #expect(await bench.settle().isEmpty)
    #expect(bench.reception.names == ["a.plist"])
    #expect(bench.reception.state.withLock { $0.troubles } == ["inbox.claim", nil])
    await bench.inbox.stop()
  }
}
