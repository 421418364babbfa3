// SPDX-License-Identifier: Apache-2.0
// Claims on a disk that keeps only what was synced: a power cut after every call, also where the record is lost as
// well.

import Files
import Support
import Synchronization
import Testing
import Vocabulary

@testable import Accept

@Suite struct ClaimPowerTests {
  private static let text = "a good list end"

  /// The folders of a disk, and claims in them.
  private struct Desk {
    let inbox: any Folder
    let lists: any Folder
    let claim: Claim

    init(_ disk: SimulatedDisk, _ rules: ScriptedRules) throws {
      func folder(_ name: String) throws -> any Folder {
        try disk.rootFolder.folder(FileName(made: name), creating: true)
      }
      (inbox, lists) = (try folder("inbox"), try folder("lists"))
      claim = Claim(
        memory: ClaimMemory(
          ClaimParts(
            lists: lists, failed: FailedFolder(folder: try folder("failed")),
            quarantine: Quarantine(try folder("quarantine")), rules: rules, groups: OwnSyncs(),
            clock: SimulatedClock(), settings: InboxSettings())),
        inbox: inbox, trustsLeases: true)
    }

    func candidates() throws -> [Candidate] {
      try claim.memory.look(at: inbox).entries().compactMap { entry in
        entry.status.map { Candidate(key: entry.key, status: $0) }
      }
    }

    func settle() async throws {
      for _ in 0..<3 {
        for candidate in try candidates() {
          _ = await claim.attempt(candidate, .quiet)
        }
      }
    }
  }

  private func dropped(_ rules: ScriptedRules) throws -> SimulatedDisk {
    let disk = SimulatedDisk()
    let desk = try Desk(disk, rules)
    try ClaimFolder(inbox: desk.inbox).make()
    try desk.inbox.open(ClaimBench.name, .create).write(Array(Self.text.utf8), at: 0)
    try disk.rootFolder.syncFileSystem()
    return disk
  }

  /// True if the claim ended before the power was cut.
  private func claims(
    cutAfter calls: Int, seed: UInt64, losesRecord: Bool
  ) async throws -> Bool {
    let rules = ScriptedRules()
    let disk = try dropped(rules)
    let desk = try Desk(disk, rules)
    let candidate = try #require(try desk.candidates().first)
    disk.cutPower(afterCalls: calls)
    _ = await desk.claim.attempt(candidate, .quiet)
    let isOver = !disk.isPowerCut
    disk.cutPower(afterCalls: nil)
    disk.crash(seed: seed)
    if losesRecord { rules.state.withLock { $0.recorded = [:] } }
    try await expectOnce(disk, rules, "cut after \(calls) calls, seed \(seed)")
    return isOver
  }

  /// The daemon is killed after some calls, and the power is cut after some of the next start. False if the kill came
  /// too late; the second number grows until the next start ends before the cut.
  private func kills(after first: Int, seed: UInt64) async throws -> Bool {
    var second = 0
    while true {
      let rules = ScriptedRules()
      let disk = try dropped(rules)
      let desk = try Desk(disk, rules)
      let candidate = try #require(try desk.candidates().first)
      disk.cutPower(afterCalls: first)
      _ = await desk.claim.attempt(candidate, .quiet)
      // Nothing is lost by a kill.
      guard disk.isPowerCut else { return false }
      disk.cutPower(afterCalls: nil)
      let next = try Desk(disk, rules)
      disk.cutPower(afterCalls: second)
      try? await InboxRecovery(claim: next.claim).run()
      try? await next.settle()
      let isOver = !disk.isPowerCut
      disk.cutPower(afterCalls: nil)
      disk.crash(seed: seed)
      try await expectOnce(disk, rules, "killed after \(first), cut after \(second), seed \(seed)")
      if isOver { return true }
      second += 1
    }
  }

  @Test(arguments: 1...2 as ClosedRange<UInt64>)
  func `a list is accepted once, also if the daemon is killed before the power is cut`(
    seed: UInt64
  ) async throws {
    var calls = 0
    while try await kills(after: calls, seed: seed) { calls += 1 }
    #expect(calls > 40)
  }

  /// After the next start.
  private func expectOnce(
    _ disk: SimulatedDisk, _ rules: ScriptedRules, _ place: String
  ) async throws {
    let next = try Desk(disk, rules)
    try await InboxRecovery(claim: next.claim).run()
    try await next.settle()
    #expect(try next.candidates().isEmpty, "\(place)")
    let kept = try rules.recorded.keys.map { list in
      let folder = try next.lists.folder(ListFolder.name(list), creating: false)
      #expect(try ListMarks(of: folder).drop == .claimed, "\(place)")
      #expect(try folder.has(ListFolder.results), "its rows need no other sync: \(place)")
      return try folder.text(ListFolder.list)
    }
    #expect(kept == [Self.text], "\(place)")
  }

  @Test(arguments: [false, true])
  func `a list is accepted once, whichever call was the last before the power was cut`(
    losesRecord: Bool
  ) async throws {
    for seed in 1...12 as ClosedRange<UInt64> {
      var calls = 0
      while try await !claims(cutAfter: calls, seed: seed, losesRecord: losesRecord) { calls += 1 }
      #expect(calls > 40)
    }
  }

  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func `a mark whose sync failed is written again before the file leaves the inbox`(
    seed: UInt64
  ) async throws {
    let rules = ScriptedRules()
    let disk = try dropped(rules)
    let desk = try Desk(disk, rules)
    // The list, its catalog and `about` are synced before its record, `state` after it.
    disk.fail(SimulatedDisk.Fault(.syncFile, code: 5, first: 4))
    let candidate = try #require(try desk.candidates().first)
    let first = await desk.claim.attempt(candidate, .quiet)
    guard case .troubled = first else {
      Issue.record("\(first)")
      return
    }
    #expect(try desk.inbox.has(ClaimBench.name))
    disk.fail(nil)
    try await desk.settle()
    #expect(try desk.candidates().isEmpty)
    disk.crash(seed: seed)
    rules.state.withLock { $0.recorded = [:] }
    try await expectOnce(disk, rules, "seed \(seed)")
  }
}
