// SPDX-License-Identifier: Apache-2.0
// A name that no known list has, while trouble of this machine may hide the list.

import Accept
import Linux
import Record
import Steer
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct NameJudgeTests {
  private let list = ListID(1)

  private func error(_ reply: ControlReply) -> ControlError? {
    if case .failed(let error) = reply { error } else { nil }
  }

  private static func calls(_ name: String) -> [any ControlMethod] {
    let list = ListReference(name)
    return [
      ShowOrder(list: list), WhyOrder(list: list),
      WhyOrder(list: list, photo: "1"), PauseOrder(list: list), ResumeOrder(list: list),
      CancelOrder(list: list),
      SetQualityOrder(list: list, level: .utility), FocusOrder(list: list),
      UnfocusOrder(list: list),
      RetryOrder(list: list), RemoveOrder(list: list), SheetOrder(list: list),
      WatchOrder(list: list),
      FollowOrder(list: list), OpenOrder(list: list), StatesOrder(list: list),
      ColoursOrder(list: list, groups: 1), FindOrder(list: list, text: "a"),
      PictureOrder(list: list, photo: 1),
    ]
  }

  /// The errors of all calls that name the list, also of streams; each once.
  private func errors(_ bench: PeopleBench, _ name: String, from peer: ControlPeer) async -> Set<
    ControlError?
  > {
    var errors: Set<ControlError?> = []
    for call in Self.calls(name) {
      errors.insert(error(await bench.calls.handle(call, from: peer)))
      // A call without a stream is answered as before.
      let caller = ReplyStream { _ in false }
      errors.insert(error(await bench.calls.stream(call, from: peer, to: caller)))
    }
    return errors
  }

  private static func rename(in path: String, _ name: String, _ new: String) throws {
    let folder = try LinuxFolder.open(path: path)
    try folder.renameOnce(FileName(made: name), to: folder, as: FileName(made: new))
  }

  private func doubt(_ name: String, _ why: String) -> Set<ControlError?> {
    [.notPossible(why: "no list '\(name)' is known, but \(why)")]
  }

  private func inInbox(_ trouble: String) -> String {
    "the inbox, where it may wait, is in trouble: \(trouble)"
  }

  @Test func `while the inbox cannot be read, each command that names a list answers so`()
    async throws
  {
    try await PeopleBench.use { bench in
      let daemon = "\(bench.parts.scratch.path)/daemon"
      try Self.rename(in: daemon, "inbox", "away")
      try bench.parts.scratch.write(Array("no list".utf8), to: "daemon/away/owned.plist")
      #expect(await bench.inbox.look().isTroubled)
      let trouble = try #require(bench.parts.health.health[.inbox])
      #expect(trouble.code == "inbox.lost")
      // Nothing depends on the caller, nor on a file of the name.
      for peer in [ControlPeer.stranger, .owner, .root] {
        for name in ["barn", "owned", "7"] {
          #expect(
            await errors(bench, name, from: peer) == doubt(name, inInbox(trouble.words)))
        }
      }
      try Self.rename(in: daemon, "away", "inbox")
      #expect(await bench.inbox.look().isTroubled == false)
      #expect(await errors(bench, "barn", from: .stranger) == [.noSuchList(name: "barn")])
    }
  }

  @Test func `trouble that hides no file makes no name doubtful`() async throws {
    try await PeopleBench.use { bench in
      let failure = Failure(.machine, code: "inbox.full", reason: "500 lists are at work already")
      bench.parts.intake.tell(.troubled(failure, isClosed: false))
      #expect(await errors(bench, "barn", from: .owner) == [.noSuchList(name: "barn")])
      bench.parts.intake.tell(.troubled(failure, isClosed: true))
      #expect(
        await errors(bench, "barn", from: .owner) == doubt("barn", inInbox(failure.reason)))
      bench.parts.intake.tell(.troubled(nil, isClosed: false))
      #expect(await errors(bench, "barn", from: .owner) == [.noSuchList(name: "barn")])
    }
  }

  @Test func `a user without a place for more files in the inbox is told so, and no other`()
    async throws
  {
    try await PeopleBench.use { bench in
      let failure = Failure(.final, code: "inbox.share", reason: "9 files of user 1000 wait")
      bench.parts.health.set(failure, for: .crowd(.user(1000)))
      #expect(
        await errors(bench, "barn", from: .owner) == doubt("barn", inInbox(failure.reason)))
      #expect(await errors(bench, "barn", from: .stranger) == [.noSuchList(name: "barn")])
    }
  }

  @Test func `while the name of a list cannot be read, an unknown name may be its name`()
    async throws
  {
    try await PeopleBench.use { bench in
      let parts = bench.parts
      try await parts.add(1)
      try await parts.recorder.record([.cancelled(list)])
      let folder = "\(parts.ground.places.state)/lists/1"
      try Self.rename(in: folder, "about", "away")
      parts.index.forget(list)
      parts.index.load([list], from: parts.folders.lists)
      let why = "the name of list 1 cannot be read, and only its number can be used"
      #expect(await errors(bench, "barn", from: .stranger) == doubt("barn", why))
      let numbered = await bench.calls.handle(
        ShowOrder(list: ListReference("1"), limit: 0), from: .root)
      #expect(numbered.message(ShowReport.self) != nil, "the number is not known")
      // A list that has been repaired is found by its name again.
      try Self.rename(in: folder, "away", "about")
      let found = await bench.calls.handle(
        WhyOrder(list: ListReference("barn")), from: .stranger)
      guard let report = found.message(WhyReport.self) else {
        Issue.record("\(found)")
        return
      }
      #expect(report.list.id == 1 && report.list.name == "barn")
      #expect(await errors(bench, "cow", from: .stranger) == [.noSuchList(name: "cow")])
    }
  }

  @Test func `a name is found in any case, and one that is almost right is told`() async throws {
    try await PeopleBench.use { bench in
      try await bench.parts.add(1)
      try await bench.parts.recorder.record([.cancelled(list)])
      #expect(
        await errors(bench, "barm", from: .stranger) == [.noSuchList(name: "barm", near: "barn")])
      for name in ["BARN", "barn.plist"] {
        let found = await bench.calls.handle(
          WhyOrder(list: ListReference(name)), from: .owner)
        guard found.message(WhyReport.self)?.list.id == 1 else {
          Issue.record("\(found)")
          continue
        }
      }
    }
  }

  @Test func `a list that is being removed has no name, and makes none doubtful`() async throws {
    try await PeopleBench.use { bench in
      try await bench.parts.add(1)
      try await bench.parts.recorder.record([.cancelled(list)])
      #expect(bench.parts.index.withdraw([list]))
      #expect(await errors(bench, "barn", from: .owner) == [.noSuchList(name: "barn")])
    }
  }
}
