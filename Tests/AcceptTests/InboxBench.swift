// SPDX-License-Identifier: Apache-2.0
// A real inbox on its own thread, in a scratch folder, by a clock moved by hand.

import Linux
import Support
import Synchronization
import Testing
import Vocabulary

@testable import Accept

final class InboxBench: Sendable {
  let scratch: ScratchFolder
  let folder: LinuxFolder
  let state: LinuxFolder
  let lists: LinuxFolder
  let done: LinuxFolder
  let failed: LinuxFolder
  let clock = SimulatedClock(uptime: .seconds(1000))
  let reception = ScriptedReception()
  let inbox: Inbox
  private let place: String

  /// - Parameter place: the inbox, below the scratch folder.
  init(in place: String = "inbox", _ prepare: (String) -> Void = { _ in }) throws {
    self.place = place
    scratch = try ScratchFolder()
    folder = try Self.make(place, in: scratch.folder)
    state = try scratch.subfolder("state")
    lists = try scratch.subfolder("lists")
    done = try scratch.subfolder("done")
    failed = try scratch.subfolder("failed")
    prepare("\(scratch.path)/\(place)")
    inbox = try Self.inbox(
      "\(scratch.path)/\(place)", state, lists, Archive(done: done, failed: failed),
      try scratch.subfolder("quarantine"), reception, clock)
    inbox.start()
  }

  private static func make(_ place: String, in folder: LinuxFolder) throws -> LinuxFolder {
    try place.split(separator: "/").reduce(folder) { folder, name in
      try folder.openFolder(#require(FileName(name)), creating: true)
    }
  }

  private static func inbox(
    _ path: String, _ state: LinuxFolder, _ lists: LinuxFolder, _ archive: Archive,
    _ quarantine: LinuxFolder, _ reception: ScriptedReception, _ clock: SimulatedClock
  ) throws -> Inbox {
    try Inbox(
      path: path, state: state, lists: lists, archive: archive,
      quarantine: Quarantine(quarantine), reception: reception, clock: clock,
      settings: InboxSettings(maximumListSize: 1 << 20))
  }

  /// The same at its next start.
  func another() throws -> Inbox {
    let inbox = try Self.inbox(
      "\(scratch.path)/\(place)", state, lists, Archive(done: done, failed: failed),
      try scratch.subfolder("quarantine"), reception, clock)
    inbox.start()
    return inbox
  }

  var inboxPath: String { "\(scratch.path)/\(place)" }
  func path(_ name: String) -> String { "\(inboxPath)/\(name)" }
  var troubles: [String?] { reception.state.withLock { $0.troubles } }

  /// Two sweeps, with the dwell between them.
  @discardableResult func settle() async -> SweepReport {
    _ = await inbox.sweepNow()
    clock.advance(by: .milliseconds(250))
    return await inbox.sweepNow()
  }

  /// The bytes of every accepted list, by the name it was dropped under.
  func accepted() throws -> [String: String] {
    var texts: [String: String] = [:]
    for (list, about) in reception.recorded {
      let folder = try lists.openFolder(ListFolder.name(list), creating: false)
      texts["\(about.name)"] = try folder.text(ListFolder.list)
    }
    return texts
  }

  /// Visible names in the inbox.
  func left() throws -> [String] { try folder.listing().filter { $0 != ".claim" } }
}
