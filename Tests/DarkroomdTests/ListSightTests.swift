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
  private func looks(_ list: ListReference) -> [ControlCall] {
    [
      .show(ShowOrder(list: list)), .why(WhyOrder(list: list)), .watch(WatchOrder(list: list)),
      .follow(FollowOrder(list: list, since: 0)), .open(list), .states(StatesOrder(list: list)),
      .colours(ColoursOrder(list: list, groups: 1)), .find(FindOrder(list: list, text: "a")),
      .picture(PictureOrder(list: list, photo: 1)),
      .picture(PictureOrder(list: list, photo: 1, isThumbnail: true)),
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
        for call in looks(ListReference("1")) where call.isOfPages {
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
        let watch = await bench.calls.handle(.watch(WatchOrder()), from: peer)
        let follow = await bench.calls.handle(.follow(FollowOrder(since: 0)), from: peer)
        guard case .watch(let all) = watch, case .followed(let steps) = follow else {
          throw Unexpected(reply: watch)
        }
        #expect(all.lists.map(\.name) == ["barn", "cow"])
        #expect(all.transfers.map(\.name).sorted() == names)
        #expect(steps.steps.filter { $0.photo != nil }.map(\.list) == lists)
        #expect(Set(steps.steps.map(\.list)) == [1, 2])
      }
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
        let reply = await bench.calls.handle(.picture(order), from: .stranger)
        guard case .picture(let report) = reply else { throw Unexpected(reply: reply) }
        return report
      }
      #expect(try await picture("1").file != nil)
      // A draft may never become a list.
      parts.index.note(ListID(2), into: FileName(literal: "barn"))
      #expect(try await picture("1").file != nil)
      try await parts.add(2, SampleList { $0.terms.revises = list })
      #expect(try await picture("1").file == nil)
      let colours = ColoursOrder(list: ListReference("1"), groups: 2)
      let reply = await bench.calls.handle(.colours(colours), from: .owner)
      #expect(reply == .colours(ColoursReport(groups: ["", ""])))
      try await parts.develop(PhotoID(list: ListID(2), number: 1), print: "Barn.jpg")
      #expect(try await picture("2").file != nil)
    }
  }
}

extension ControlCall {
  /// A page may ask it.
  fileprivate var isOfPages: Bool {
    switch self {
    case .show, .follow, .states, .colours, .find, .picture: true
    default: false
    }
  }
}
