// SPDX-License-Identifier: Apache-2.0
// An inbox and the claims made in it, without the inbox's thread: started, killed and started again at
// will.

import Linux
import Support
import Testing
import Vocabulary

@testable import Accept

/// Used by one thread.
final class ClaimBench {
  static let name = FileName(literal: "barn.plist")

  let scratch: ScratchFolder
  let cut = Cut()
  let reception: ScriptedReception
  let inbox: LinuxFolder
  let lists: LinuxFolder
  let done: LinuxFolder
  let failed: LinuxFolder
  let quarantine: LinuxFolder
  let clock = SimulatedClock(uptime: .seconds(1000))
  private(set) var claim: Claim
  /// Whether every file is read before it may be tried, too.
  private let readsAhead: Bool

  init(readsAhead: Bool = false) throws {
    self.readsAhead = readsAhead
    FileLease.ignoreBreaks()
    scratch = try ScratchFolder()
    reception = ScriptedReception(cut)
    inbox = try scratch.subfolder("inbox")
    lists = try scratch.subfolder("lists")
    done = try scratch.subfolder("done")
    failed = try scratch.subfolder("failed")
    quarantine = try scratch.subfolder("quarantine")
    // As the inbox's own thread does at the first start.
    try ClaimFolder(inbox: inbox).make()
    claim = try Self.claim(
      inbox, lists, done, failed, quarantine, cut, reception, clock)
  }

  var inboxPath: String { "\(scratch.path)/inbox" }

  /// As after a crash: nothing is known but what lies on the disk.
  func restart() throws {
    cut.set(.never, at: 0)
    claim = try fresh()
    try claim.archive.sweep()
    _ = try Recovery(claim: claim).run()
  }

  /// A claim that knows nothing yet.
  func fresh() throws -> Claim {
    try Self.claim(
      inbox, lists, done, failed, quarantine, cut, reception, clock)
  }

  /// Tries every file there is, until nothing more happens or the cut is reached.
  func settle(rounds: Int = 4) throws {
    for _ in 0..<rounds {
      for candidate in try candidates() {
        if readsAhead {
          claim.prepare(for: candidate)
          clock.advance(by: .seconds(1))
        }
        if case .refused(let failure, let proof) = claim.attempt(candidate, .lease) {
          _ = claim.reject(candidate, failure, proof)
        }
      }
    }
  }

  func candidates() throws -> [Candidate] {
    try InboxLook.entries(inbox).compactMap { entry in
      entry.status.map { Candidate(key: entry.key, status: $0) }
    }
  }

  func candidate(_ name: FileName = ClaimBench.name) throws -> Candidate {
    Candidate(key: .init(name), status: try inbox.status(of: name))
  }

  /// The bytes of all accepted lists, in order of acceptance.
  func acceptedTexts() throws -> [String] {
    try reception.recorded.keys.sorted().map { list in
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
    let folders = reception.recorded.keys.map { "\($0)" }.sorted()
    #expect(try lists.listing() == folders, "\(step)")
    for list in reception.recorded.keys {
      let folder = try lists.openFolder(ListFolder.name(list), creating: false)
      #expect(try ListFolder.state(of: folder) == .claimed, "\(step)")
    }
  }

  private static func claim(
    _ inbox: any Folder, _ lists: any Folder, _ done: any Folder, _ failed: any Folder,
    _ quarantine: any Folder, _ cut: Cut, _ reception: ScriptedReception, _ clock: SimulatedClock
  ) throws -> Claim {
    let archive = Archive(done: CutFolder(done, cut), failed: CutFolder(failed, cut))
    return Claim(
      inbox: CutFolder(inbox, cut), lists: CutFolder(lists, cut), archive: archive,
      quarantine: Quarantine(CutFolder(quarantine, cut)), reception: reception,
      bridge: try ThreadBridge(), clock: clock,
      settings: InboxSettings(maximumListSize: 1 << 20))
  }
}
