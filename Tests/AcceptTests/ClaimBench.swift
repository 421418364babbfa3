// SPDX-License-Identifier: Apache-2.0
// An inbox without its thread, and claims in it, one at a time: a test starts, kills and restarts them at
// will.

import Files
import Linux
import Support
import Testing
import Vocabulary

@testable import Accept

final class ClaimBench: @unchecked Sendable {
  // Unchecked because one task at a time uses it.
  static let name = FileName(literal: "barn.plist")

  let scratch: ScratchFolder
  let cut = Cut()
  let rules: ScriptedRules
  let inbox: LinuxFolder
  let lists: LinuxFolder
  let failed: LinuxFolder
  let quarantine: LinuxFolder
  let clock = SimulatedClock(uptime: .seconds(1000))
  private(set) var claim: Claim
  /// True if each file is also read ahead, before it may be tried.
  private let readsAhead: Bool
  /// Called before each sync of a claim.
  private let groups: OwnSyncs

  init(
    readsAhead: Bool = false, beforeSync: @escaping @Sendable ([SyncStep]) -> Void = { _ in }
  ) throws {
    self.readsAhead = readsAhead
    groups = OwnSyncs(before: beforeSync)
    FileLease.ignoreBreaks()
    scratch = try ScratchFolder()
    rules = ScriptedRules(cut)
    inbox = try scratch.subfolder("inbox")
    lists = try scratch.subfolder("lists")
    failed = try scratch.subfolder("failed")
    quarantine = try scratch.subfolder("quarantine")
    // As the inbox's thread does at the first start.
    try ClaimFolder(inbox: inbox).make()
    claim = Self.claim(inbox, lists, failed, quarantine, cut, rules, groups, clock)
  }

  var inboxPath: String { "\(scratch.path)/inbox" }

  /// A start after a crash: only the disk is remembered.
  func restart() async throws {
    cut.set(.never, at: 0)
    claim = try fresh()
    try FreshName.sweep(failed)
    try await InboxRecovery(claim: claim).run()
    // As the inbox's loop does next.
    _ = await RollClaim(claim: claim).finishAll(of: ThisProcess.user)
  }

  /// A claim without memory.
  func fresh() throws -> Claim {
    Self.claim(inbox, lists, failed, quarantine, cut, rules, groups, clock)
  }

  /// In each round, tries every file in the inbox and rejects the refused ones.
  func settle(rounds: Int = 4) async throws {
    for _ in 0..<rounds {
      for candidate in try candidates() {
        if readsAhead {
          await readAhead(candidate)
          clock.advance(by: .seconds(1))
        }
        if case .refused(let failure, let proof) = await claim.attempt(
          candidate, .lease)
        {
          _ = await claim.reject(candidate, failure, proof)
        }
      }
    }
  }

  /// The rename into `.claim` fails once, so the list is recorded and its file still in the inbox.
  func acceptInPlace() async throws {
    FaultPlan.set(.init("renameat2", on: "\(inboxPath)/barn.plist", code: 5), for: inboxPath)
    defer { FaultPlan.set(nil, for: inboxPath) }
    _ = await claim.attempt(try candidate(), .lease)
    #expect(try inbox.has(Self.name))
  }

  func candidates() throws -> [Candidate] {
    try claim.memory.look(at: inbox).entries().compactMap { entry in
      entry.status.map { Candidate(key: entry.key, status: $0) }
    }
  }

  func candidate(_ name: FileName = ClaimBench.name) throws -> Candidate {
    Candidate(key: .init(name), status: try inbox.status(of: name))
  }

  /// The bytes of all accepted lists, in order of acceptance.
  func acceptedTexts() throws -> [String] {
    try rules.recorded.keys.sorted().map { list in
      let folder = try lists.openFolder(ListFolder.name(list), creating: false)
      let text = try #require(try folder.text(ListFolder.list))
      #expect(try folder.text(ListFolder.catalog) == "catalog of \(text)")
      return text
    }
  }

  /// Nothing is in the inbox, nothing half-made is anywhere, and every list is claimed.
  func expectTidy(_ step: String) throws {
    #expect(try candidates().isEmpty, "\(step)")
    #expect(try inbox.listing().filter { $0 != ".claim" }.isEmpty, "\(step)")
    if try inbox.has(ClaimFolder.name) {
      let claims = try inbox.openFolder(ClaimFolder.name, creating: false)
      #expect(try claims.listing().isEmpty, "\(step)")
    }
    let folders = rules.recorded.keys.map { "\($0)" }.sorted()
    #expect(try lists.listing() == folders, "\(step)")
    for list in rules.recorded.keys {
      let folder = try lists.openFolder(ListFolder.name(list), creating: false)
      #expect(try ListMarks(of: folder).drop == .claimed, "\(step)")
    }
  }

  private static func claim(
    _ inbox: any Folder, _ lists: any Folder, _ failed: any Folder, _ quarantine: any Folder,
    _ cut: Cut, _ rules: ScriptedRules, _ groups: OwnSyncs, _ clock: SimulatedClock
  ) -> Claim {
    Claim(
      memory: ClaimMemory(
        ClaimParts(
          lists: CutFolder(lists, cut), failed: FailedFolder(folder: CutFolder(failed, cut)),
          quarantine: Quarantine(CutFolder(quarantine, cut)), rules: rules, groups: groups,
          clock: clock, settings: InboxSettings(maximumListSize: 1 << 20))),
      inbox: CutFolder(inbox, cut), trustsLeases: true)
  }

  func readAhead(_ candidate: Candidate) async {
    let claim = claim
    guard let staged = await claim.memory.ahead.begin(candidate, claim.memory) else { return }
    await claim.memory.ahead.run(candidate, staged, claim)
  }
}
