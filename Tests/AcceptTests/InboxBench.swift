// SPDX-License-Identifier: Apache-2.0
// A real inbox on its thread, in a scratch folder, with a clock that the test moves.

import Linux
import Support
import Synchronization
import Testing
import Vocabulary

@testable import Accept

/// An inbox and the task that runs it.
final class RunningInbox: Sendable {
  private let inbox: Inbox
  private let task: Task<Void, Never>

  init(_ inbox: Inbox) {
    self.inbox = inbox
    task = Task { await inbox.run() }
  }

  func look() async -> SweepReport { await inbox.look() }
  @discardableResult func settled() async -> SweepReport { await inbox.settled() }
  func adopt() { inbox.adopt() }

  func stop() async {
    inbox.stop()
    await task.value
  }

  /// A request that reaches the inbox together with the stop.
  func stopAsking() async -> SweepReport {
    inbox.stop()
    let report = Task.immediate { [inbox] in await inbox.settled() }
    await task.value
    return await report.value
  }
}

final class InboxBench: Sendable {
  let scratch: ScratchFolder
  let folder: LinuxFolder
  let state: LinuxFolder
  let lists: LinuxFolder
  let failed: LinuxFolder
  let rules = ScriptedRules()
  let inbox: RunningInbox
  private let clock = SimulatedClock(uptime: .seconds(1000))
  private let place: String
  private let settings: InboxSettings

  /// `place` is the inbox, below the scratch folder; calls of the folder `failed` pass the gate.
  init(
    in place: String = "inbox", maximumListSize: UInt64 = 1 << 20,
    waiting: WaitingLimits = WaitingLimits(), gate: DiskGate? = nil,
    _ prepare: (String) throws -> Void = { _ in }
  ) throws {
    self.place = place
    settings = InboxSettings(maximumListSize: maximumListSize, waiting: waiting)
    scratch = try ScratchFolder()
    folder = try Self.make(place, in: scratch.folder)
    state = try scratch.subfolder("state")
    lists = try scratch.subfolder("lists")
    failed = try scratch.subfolder("failed")
    try prepare("\(scratch.path)/\(place)")
    let gated: any Folder = gate.map { [failed] in GatedFolder(failed, $0) } ?? failed
    inbox = try Self.inbox(
      "\(scratch.path)/\(place)", [state, lists, gated, try scratch.subfolder("quarantine")],
      rules, clock, settings)
  }

  private static func make(_ place: String, in folder: LinuxFolder) throws -> LinuxFolder {
    try place.split(separator: "/").reduce(folder) { folder, name in
      try folder.openFolder(#require(FileName(name)), creating: true)
    }
  }

  /// - Parameter folders: state, lists, failed, quarantine.
  private static func inbox(
    _ path: String, _ folders: [any Folder], _ rules: ScriptedRules, _ clock: SimulatedClock,
    _ settings: InboxSettings
  ) throws -> RunningInbox {
    RunningInbox(
      try Inbox(
        path: path, state: folders[0], lists: folders[1], failed: folders[2],
        quarantine: Quarantine(folders[3]), rules: rules, groups: OwnSyncs(), clock: clock,
        settings: settings))
  }

  /// A daemon with the same inbox, and with its own state, lists and rules.
  func rival(_ rules: ScriptedRules) throws -> RunningInbox {
    let root = try scratch.subfolder("rival")
    let folders = try ["state", "lists", "failed", "quarantine"].map { name in
      try root.openFolder(#require(FileName(name)), creating: true)
    }
    return try Self.inbox(inboxPath, folders, rules, clock, settings)
  }

  /// The same inbox at its next start.
  func another() throws -> RunningInbox {
    try Self.inbox(
      "\(scratch.path)/\(place)", [state, lists, failed, try scratch.subfolder("quarantine")],
      rules, clock, settings)
  }

  var inboxPath: String { "\(scratch.path)/\(place)" }
  func path(_ name: String) -> String { "\(inboxPath)/\(name)" }
  var troubles: [String?] { rules.state.withLock { $0.troubles } }
  var isClosed: Bool { rules.state.withLock { $0.isClosed } }

  /// Moves the clock and waits until what became due has ended. The clock moves in no other way, so that
  /// no attempt is under way when a test changes what the attempt meets.
  /// - Parameter other: the inbox that this clock moves, if it is not the first.
  @discardableResult
  func pass(_ time: Duration, of other: RunningInbox? = nil) async -> SweepReport {
    clock.advance(by: time)
    return await (other ?? inbox).settled()
  }

  /// Moves the clock and looks once, while a list is read for as long as the test likes.
  @discardableResult func look(after time: Duration) async -> SweepReport {
    clock.advance(by: time)
    return await inbox.look()
  }

  /// Settles twice, with the dwell in between.
  @discardableResult func settle() async -> SweepReport {
    _ = await inbox.settled()
    return await pass(.milliseconds(250))
  }

  func setWallTime(_ time: UInt64) { clock.setWallTime(time) }

  /// When the inbox wants to be woken.
  var nextTurn: Duration? { clock.next }

  /// The bytes of every accepted list, by its dropped name.
  func accepted() throws -> [String: String] {
    var texts: [String: String] = [:]
    for (list, about) in rules.recorded {
      let folder = try lists.openFolder(ListFolder.name(list), creating: false)
      texts["\(about.name)"] = try folder.text(ListFolder.list)
    }
    return texts
  }

  /// Visible names in the inbox.
  /// Staging folders and probes.
  func hidden() throws -> [String] {
    let claims = try folder.openFolder(ClaimFolder.name, creating: false)
    return try (lists.listing() + claims.listing()).filter { $0.hasPrefix(".") && $0 != ".lock" }
  }

  func left() throws -> [String] { try folder.listing().filter { $0 != ".claim" } }
}
