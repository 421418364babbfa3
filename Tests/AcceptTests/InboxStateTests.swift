// SPDX-License-Identifier: Apache-2.0
// The inbox's state machine as a value, without thread, clock or file: acts of users, and the
// decisions that follow.

import Linux
import Testing
import Vocabulary

@testable import Accept

@Suite struct InboxStateTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let what: String
    var leases: DropWorld.Leases = .work
    let acts: [(at: Int, act: DropWorld.Act)]
    let outcome: [String]
    var testDescription: String { what }
  }

  @Test(
    "Each act of a user has its outcome",
    arguments: [
      Case(
        what: "copies a list",
        acts: [(0, .create("a.plist")), (3, .write("a.plist", true)), (3, .close("a.plist"))],
        outcome: ["253 accepted a.plist"]),
      Case(
        what: "moves a list in", acts: [(0, .move("a.plist", true))],
        outcome: ["250 accepted a.plist"]),
      Case(
        what: "writes slowly, holding it open",
        acts: [
          (0, .create("a.plist")), (900, .write("a.plist", false)), (4000, .write("a.plist", true)),
          (4000, .close("a.plist")),
        ], outcome: ["4250 accepted a.plist"]),
      Case(
        what: "holds a file open and idle for an hour",
        acts: [(0, .move("a.plist", false)), (0, .hold("a.plist")), (3_600_000, .nothing)],
        outcome: []),
      Case(
        what: "lets go of a file without the doorbell ringing",
        acts: [
          (0, .move("a.plist", true)), (0, .hold("a.plist")), (300, .closeQuietly("a.plist")),
        ],
        outcome: ["500 accepted a.plist"]),
      Case(
        what: "writes page by page, closing in between",
        acts: [
          (0, .move("a.plist", false)), (1000, .write("a.plist", false)),
          (2000, .write("a.plist", false)), (3000, .write("a.plist", true)),
        ], outcome: ["3250 accepted a.plist"]),
      Case(
        what: "drops what is no list", acts: [(0, .move("a.plist", false))],
        outcome: ["5000 rejected a.plist"]),
      Case(
        what: "leaves a half list, and comes back after four seconds",
        acts: [(0, .move("a.plist", false)), (4000, .write("a.plist", true))],
        outcome: ["4250 accepted a.plist"]),
      Case(
        what: "deletes it before it is tried",
        acts: [(0, .move("a.plist", true)), (100, .delete("a.plist"))], outcome: []),
      Case(
        what: "renames a browser's part file when it is whole",
        acts: [
          (0, .create("a.plist.part")), (9000, .write("a.plist.part", true)),
          (9000, .close("a.plist.part")), (9000, .rename("a.plist.part", "a.plist")),
        ], outcome: ["0 ignored a.plist.part: suffix", "9250 accepted a.plist"]),
      Case(
        what: "touches the path just after the last byte",
        acts: [(0, .move("a.plist", true)), (200, .touch("a.plist"))],
        outcome: ["450 accepted a.plist"]),
      Case(
        what: "drops a file nobody may read, and lets us read it later",
        acts: [
          (0, .move("a.plist", true)), (0, .forbid("a.plist")), (60_000, .allow("a.plist")),
        ], outcome: ["60250 accepted a.plist"]),
      Case(
        what: "drops many at once",
        acts: [(0, .move("b.plist", true)), (0, .move("a.plist", true))],
        outcome: ["250 accepted a.plist", "250 accepted b.plist"]),
      Case(
        what: "drops on a file system without leases", leases: .missing,
        acts: [
          (0, .create("a.plist")), (3000, .write("a.plist", true)), (3000, .close("a.plist")),
        ],
        outcome: ["8000 accepted a.plist"]),
      Case(
        what: "drops as another user where we may not lease", leases: .forbidden,
        acts: [(0, .move("a.plist", false))], outcome: ["5000 rejected a.plist"]),
      Case(
        what: "drops while this disk is full",
        acts: [(0, .diskFull(true)), (0, .move("a.plist", true)), (6000, .diskFull(false))],
        outcome: ["7250 accepted a.plist"]),
      Case(
        what: "drops while this disk is full for an hour",
        acts: [(0, .diskFull(true)), (0, .move("a.plist", true)), (3_600_000, .diskFull(false))],
        outcome: ["3602250 accepted a.plist"]),
      Case(
        what: "drops other things",
        acts: [
          (0, .other(".a.plist", .file)), (0, .other("notes.doc", .file)),
          (0, .other("a.plist", .folder)), (0, .other("b.plist", .link)),
          (0, .other("c.plist", .other)), (0, .other("plist", .file)),
          (0, .other(".plist", .file)), (0, .other("d.plist~", .file)),
          (1000, .nothing),
        ],
        outcome: [
          "0 ignored .a.plist: hidden", "0 ignored .plist: hidden", "0 ignored a.plist: folder",
          "0 ignored b.plist: link", "0 ignored c.plist: special", "0 ignored d.plist~: suffix",
          "0 ignored notes.doc: suffix", "0 ignored plist: suffix",
        ]),
      Case(
        what: "writes the suffix in capitals", acts: [(0, .move("BARN.PLIST", true))],
        outcome: ["250 accepted BARN.PLIST"]),
    ])
  func user(_ test: Case) {
    var world = DropWorld(test.leases)
    #expect(world.run(test.acts) == test.outcome)
  }

  @Test("Where others write behind this kernel, a list is taken after ten seconds and none sooner")
  func shared() {
    var good = DropWorld(.shared)
    #expect(
      good.run([(0, .move("a.plist", true)), (9000, .touch("a.plist"))])
        == ["19000 accepted a.plist"])
    var bad = DropWorld(.shared)
    #expect(bad.run([(0, .move("a.plist", false))]) == ["30000 rejected a.plist"])
  }

  @Test("While the inbox is closed, files wait with one look a second; then all are taken")
  func queued() {
    var state = InboxState(InboxSettings())
    let full = Failure(.machine, code: "inbox.full", reason: "queue full")
    let entries = (0..<3).map { DropWorld.entry("\($0).plist", version: 1) }
    _ = state.swept(entries, at: .zero)
    for entry in entries { state.queued(entry.key, full) }
    state.closure = .all
    for second in 1...3 as ClosedRange<Int> {
      let now = Duration.seconds(second)
      #expect(state.dueKeys(at: now).isEmpty && state.swept(entries, at: now).isEmpty)
      #expect(state.isQueued && state.nextLook(at: now) == .seconds(1))
    }
    state.closure = .none
    #expect(state.dueKeys(at: .seconds(4)).count == 3)
    #expect(state.glanced(entries.map { ($0.key, $0) }, at: .seconds(4)).count == 3)
    #expect(!state.isQueued)
  }

  @Test("The inbox may be closed for one user, and the files of others are taken")
  func closedForOne() {
    var state = InboxState(InboxSettings())
    let full = Failure(.machine, code: "inbox.full", reason: "queue full")
    let entries = (0..<2).map {
      DropWorld.entry("\($0).plist", version: 1, owner: 1000 + UInt32($0))
    }
    _ = state.swept(entries, at: .zero)
    for entry in entries { state.queued(entry.key, full) }
    #expect(state.queuedUsers == [1000, 1001])
    state.closure = .users([1000])
    #expect(state.dueKeys(at: .seconds(1)) == [entries[1].key])
    state.closure = .users([1000, 1001])
    #expect(state.dueKeys(at: .seconds(1)).isEmpty)
  }

  @Test("A glance at the files that are due sees changes and removals")
  func glance() {
    var state = InboxState(InboxSettings())
    let entries = (0..<3).map { DropWorld.entry("\($0).plist", version: 1) }
    _ = state.swept(entries, at: .zero)
    let now = Duration.milliseconds(250)
    #expect(Set(state.dueKeys(at: now)) == Set(entries.map(\.key)))
    let changed = DropWorld.entry("1.plist", version: 2)
    let actions = state.glanced(
      [(entries[0].key, entries[0]), (changed.key, changed), (entries[2].key, nil)],
      at: now)
    #expect(actions.count == 1 && state.waiting.count == 2)
    #expect(state.nextLook(at: now) == .milliseconds(250))
  }

  @Test("An empty inbox asks for no look")
  func idle() {
    var state = InboxState(InboxSettings())
    #expect(state.swept([], at: .seconds(1)) == [])
    #expect(state.nextLook(at: .seconds(1)) == nil)
  }

  /// The pauses between eight looks at a file, each of which `look` makes.
  private func pauses(
    _ look: (inout InboxState, InboxState.Entry, Duration) -> Void
  ) -> [Duration] {
    var state = InboxState(InboxSettings())
    let entry = DropWorld.entry("a.plist", version: 1)
    _ = state.swept([entry], at: .zero)
    var now: Duration = .milliseconds(250)
    return (0..<8).map { _ in
      look(&state, entry, now)
      let pause = state.nextLook(at: now) ?? .zero
      now += pause
      return pause
    }
  }

  @Test("A file that keeps its writer is probed less and less often")
  func writerBackOff() {
    let pauses = pauses { state, entry, now in
      _ = state.swept([entry], at: now)
      _ = state.probed(entry.key, .writer, at: now)
    }
    #expect(pauses.map(\.milliseconds) == [250, 500, 1000, 2000, 4000, 5000, 5000, 5000])
  }

  @Test func `a file under a mount is tried less and less often, whatever rings`() {
    let pauses = pauses { state, entry, now in
      #expect(state.swept([entry], at: now).count == 1)
      _ = state.attempted(entry.key, .covered, at: now)
      // Before its pause is over, it is not tried.
      let end = now + (state.nextLook(at: now) ?? .zero)
      #expect(state.swept([entry], at: end - .milliseconds(1)).isEmpty)
    }
    #expect(pauses == [5, 10, 20, 40, 80, 160, 300, 300].map { .seconds($0) })
  }

  @Test("Of twenty thousand ignored files a thousand are reported, and none slows a list")
  func junk() {
    var state = InboxState(InboxSettings())
    let junk = (0..<20_000).map { DropWorld.entry("junk\($0).doc", version: 1) }
    #expect(state.swept(junk, at: .zero).count == InboxState.maximumIgnored)
    let list = DropWorld.entry("a.plist", version: 1)
    #expect(state.swept(junk + [list], at: .seconds(1)) == [])
    #expect(state.swept(junk + [list], at: .seconds(2)).count == 1)
  }

  @Test func `ignored files of one user, however many, do not hide those of another`() {
    var state = InboxState(InboxSettings())
    let junk = (0..<20_000).map { DropWorld.entry("junk\($0).doc", version: 1, owner: 2000) }
    _ = state.swept(junk, at: .zero)
    #expect(state.ignored.count == InboxState.maximumIgnored)
    let own = (0..<200).map { DropWorld.entry("notes\($0).doc", version: 1, owner: 1000) }
    #expect(state.swept(junk + own, at: .seconds(1)).count == IgnoredNames.share)
    #expect(state.ignored[own[0].key.name] == .suffix)
    #expect(state.ignored.count == InboxState.maximumIgnored)
    // None is told twice, and no owner is asked for twice.
    #expect(state.swept(junk + own, at: .seconds(2)) == [])
    #expect((junk + own).allSatisfy { !state.ignoredNames.wantsOwner(of: $0.key.name) })
    #expect(state.ignoredNames.wantsOwner(of: FileName(literal: "new.doc")))
    // The places that become free are for the next sweep.
    #expect(state.swept(own, at: .seconds(3)) == [])
    #expect(state.swept(own, at: .seconds(4)).count == 200 - IgnoredNames.share)
    #expect(state.ignored.count == 200)
  }

  @Test func `a file that waits for this machine is due when a disk is better`() throws {
    var state = InboxState(InboxSettings())
    let name = try #require(FileName("a.plist"))
    let key = Candidate.Key(name)
    let full = Failure(.machine, code: "disk.full", reason: "no space left on device")
    let status = FileStatus(
      kind: .file, device: 1, inode: 2, size: 3, owner: 1000, mode: 0o644, modified: 4, changed: 4)
    let entry = InboxState.Entry(key, status)
    _ = state.swept([entry], at: .zero)
    _ = state.glanced([(key, entry)], at: .seconds(1))
    _ = state.attempted(key, .troubled(full), at: .seconds(1))
    #expect(state.dueKeys(at: .seconds(1)).isEmpty)
    state.relieve(at: .seconds(1))
    #expect(state.dueKeys(at: .seconds(1)) == [key])
    // The pauses go on growing.
    _ = state.glanced([(key, entry)], at: .seconds(1))
    _ = state.attempted(key, .troubled(full), at: .seconds(1))
    #expect(state.nextLook(at: .seconds(1)) == .seconds(2))
  }
}
