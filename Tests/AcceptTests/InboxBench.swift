// SPDX-License-Identifier: Apache-2.0
// A real inbox on its own thread, in a scratch folder, by a clock moved by hand.

import Linux
import Support
import Testing
import Vocabulary

@testable import Accept

final class InboxBench: Sendable {
  let scratch: ScratchFolder
  let folder: LinuxFolder
  let lists: LinuxFolder
  let done: LinuxFolder
  let failed: LinuxFolder
  let clock = SimulatedClock(uptime: .seconds(1000))
  let reception = ScriptedReception()
  let inbox: Inbox

  init(_ prepare: (String) -> Void = { _ in }) throws {
    scratch = try ScratchFolder()
    folder = try scratch.subfolder("inbox")
    lists = try scratch.subfolder("lists")
    done = try scratch.subfolder("done")
    failed = try scratch.subfolder("failed")
    prepare("\(scratch.path)/inbox")
    inbox = try Inbox(
      path: "\(scratch.path)/inbox", state: try scratch.subfolder("state"), lists: lists, archive: Archive(done: done, failed: failed),
      quarantine: Quarantine(try scratch.subfolder("quarantine")),
      reception: reception, clock: clock,
      settings: InboxSettings(maximumListSize: 1 << 20))
    inbox.start()
  }

  func path(_ name: String) -> String { "\(scratch.path)/inbox/\(name)" }

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
