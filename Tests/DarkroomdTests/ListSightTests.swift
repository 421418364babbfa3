// SPDX-License-Identifier: Apache-2.0
// Who may look at the photos of a list: each call that shows them, for strangers, owners and root, with a view and
// without; and the prints of a list that another has taken over.

import Accept
import Chain
import Download
import Files
import Linux
import Record
import Steer
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct ListSightTests {
  private let list = ListID(1)
  private let barn = ListReference("barn")

  private struct Unexpected: Error { let reply: ControlReply }

  private func error(_ reply: ControlReply) -> ControlError? {
    if case .failed(let error) = reply { error } else { nil }
  }

  private func isDenied(_ reply: ControlReply) -> Bool {
    if case .permissionDenied = error(reply) { true } else { false }
  }

  /// The calls that tell something of the photos of a list.
  private func looks(_ list: ListReference) -> [any ControlMethod] {
    [
      ShowOrder(list: list), WhyOrder(list: list), WatchOrder(list: list),
      FollowOrder(list: list, since: 0), OpenOrder(list: list), StatesOrder(list: list),
      ColoursOrder(list: list, groups: 1), FindOrder(list: list, text: "a"),
      PictureOrder(list: list, photo: 1),
      PictureOrder(list: list, photo: 1, isThumbnail: true),
    ]
  }

  @Test func `the photos of a private list are for its owner and root`() async throws {
    try await PeopleBench.use { bench in
      try await bench.parts.add(1, SampleList { $0.terms.isPrivate = true })
      try await bench.parts.recorder.record([.paused(list)])
      for call in looks(barn) + looks(ListReference("1")) {
        #expect(isDenied(await bench.calls.handle(call, from: .stranger)), "\(call)")
        let caller = ReplyStream { reply in
          Issue.record("\(reply)")
          return false
        }
        let end = await bench.calls.stream(call, from: .stranger, to: caller)
        #expect(isDenied(end), "\(call)")
        for peer in [ControlPeer.owner, .root] {
          #expect(error(await bench.calls.handle(call, from: peer)) == nil, "\(call)")
        }
      }
      // A view tells no more than its user may know.
      for (peer, isRefused) in [(ControlPeer.owner, false), (.stranger, true)] {
        var viewer = ControlPeer.root
        viewer.view = try view(of: peer, in: bench)
        for call in looks(ListReference("1")) where call.viewed != nil {
          let reply = await bench.calls.handle(call, from: viewer)
          #expect(isDenied(reply) == isRefused, "\(call)")
        }
      }
    }
  }

  /// As one that was made before the list was private.
  private func view(of peer: ControlPeer, in bench: PeopleBench) throws -> String {
    let key = [UInt8](repeating: 7, count: ViewKey.size)
    try? bench.parts.folders.state.write(whole: key, as: FileName(made: "view-key"), mode: 0o600)
    return try #require(ViewKey(key)).text(of: ViewRight(list: 1, user: peer.user, until: .max))
  }

  @Test func `of all lists, a private one has its name and its state alone`() async throws {
    try await PeopleBench.use { bench in
      try await bench.begin(1, SampleList { $0.terms.isPrivate = true })
      try await bench.begin(
        2,
        SampleList {
          $0.photos = [("Cow", "https://h/cow")]
          $0.name = "cow.plist"
          $0.terms.prints = FileName(literal: "cow")
        })
      bench.parts.photos.chains.suspendDownloads(false)
      let downloads = bench.parts.photos.downloader
      #expect(try await Patience.sees { downloads.progress().count == 2 })
      try await bench.parts.recorder.record([
        .failed(PhotoID(list: list, number: 1), .download, code: "http.404", attempt: 1),
        .failed(PhotoID(list: ListID(2), number: 1), .download, code: "http.404", attempt: 1),
      ])
      for (peer, names, lists) in [
        (ControlPeer.stranger, ["Cow"], [2 as UInt64]), (.owner, ["Barn", "Cow"], [1, 2]),
      ] {
        let watch = await bench.calls.handle(WatchOrder(), from: peer)
        let follow = await bench.calls.handle(FollowOrder(since: 0), from: peer)
        guard let all = watch.message(WatchReport.self),
          let steps = follow.message(FollowReport.self)
        else { throw Unexpected(reply: watch) }
        #expect(all.lists.map(\.name) == ["barn", "cow"])
        #expect(all.transfers.map(\.name).sorted() == names)
        #expect(steps.steps.filter { $0.photo != nil }.map(\.list) == lists)
        #expect(Set(steps.steps.map(\.list)) == [1, 2])
      }
    }
  }

  @Test(arguments: [SampleList.line, "fedcba9876543210"])
  func `a list shows no picture of a list that is not known`(line: String) async throws {
    try await PeopleBench.use { bench in
      let parts = bench.parts
      try await parts.add(1, .marked())
      try await parts.develop(PhotoID(list: list, number: 1), print: "Barn.jpg")
      try await parts.recorder.record([.finished(list)])
      func isShown() async throws -> Bool {
        let order = PictureOrder(list: ListReference("1"), photo: 1)
        let reply = await bench.calls.handle(order, from: .owner)
        guard let report = reply.message(PictureReport.self) else { throw Unexpected(reply: reply) }
        return report.openFile != nil
      }
      #expect(try await isShown())
      try parts.leaveStranger(line)
      #expect(try await !isShown())
    }
  }

  @Test func `a list shows no picture when another has taken over its prints`() async throws {
    try await PeopleBench.use { bench in
      let parts = bench.parts
      try await parts.add(1)
      try await parts.develop(PhotoID(list: list, number: 1), print: "Barn.jpg")
      try await parts.recorder.record([.finished(list)])
      func picture(_ number: String) async throws -> PictureReport {
        let order = PictureOrder(list: ListReference(number), photo: 1)
        let reply = await bench.calls.handle(order, from: .stranger)
        guard let report = reply.message(PictureReport.self) else { throw Unexpected(reply: reply) }
        return report
      }
      #expect(try await picture("1").openFile != nil)
      // A draft may never become a list.
      parts.index.note(ListID(2), into: FileName(literal: "barn"))
      #expect(try await picture("1").openFile != nil)
      try await parts.add(2, SampleList { $0.terms.revises = list })
      #expect(try await picture("1").openFile == nil)
      let colours = ColoursOrder(list: ListReference("1"), groups: 2)
      let reply = await bench.calls.handle(colours, from: .owner)
      #expect(reply.message(ColoursReport.self) == ColoursReport(groups: ["", ""]))
      try await parts.develop(PhotoID(list: ListID(2), number: 1), print: "Barn.jpg")
      #expect(try await picture("2").openFile != nil)
    }
  }
}
