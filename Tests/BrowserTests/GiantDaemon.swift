// SPDX-License-Identifier: Apache-2.0
// A daemon with one list of any size in any state, for the pages of darkroom-web.
// Concurrency: immutable.

import Linux
import Steer
import Support
import Vocabulary

final class GiantDaemon: ControlService {
  static let token = String(repeating: "0a", count: 16)

  /// The list as its pages see it.
  struct Facts: Sendable {
    var name = "Everything"
    var title = ""
    var total: UInt32
    var state = ListState.running
    /// The folder of the prints.
    var prints = ""
    /// Photos that are there, but for every hundredth, which has failed.
    var states: @Sendable (UInt32) -> PhotoState = { $0 % 100 == 0 ? .failed : .filtered }
    var names: @Sendable (UInt32) -> String = { "Photo number \($0)" }
    var reasons: @Sendable (UInt32) -> String = { _ in "photos.example.org answered 404 Not Found" }
    /// The colours of a photo, as `Colours` tells them.
    var colours: @Sendable (UInt32) -> String = { _ in String(repeating: "b96", count: 12) }
  }

  private let facts: Facts

  init(_ facts: Facts) { self.facts = facts }

  /// Serves on a socket until the test ends.
  static func serve(_ facts: Facts, at path: String) throws -> ControlServer {
    let server = try ControlServer(path: path, version: "1.0", clock: try SystemClock())
    try Reactor.start("giant") { reactor in
      await server.run(GiantDaemon(facts), on: reactor)
    }
    return server
  }

  private var list: ListSummary {
    ListSummary(
      id: 17, name: facts.name, title: facts.title, owner: 0, state: facts.state,
      serviceClass: .utility, total: facts.total, new: facts.total, downloaded: 0, filtered: 0,
      failed: 0, accepted: 0)
  }

  private func photo(_ number: UInt32) -> PhotoSummary {
    let state = facts.states(number)
    return PhotoSummary(
      number: number, name: facts.names(number), url: "", state: SeenState(state),
      reason: state == .failed ? facts.reasons(number) : "")
  }

  func handle(_ call: any ControlMethod, from peer: ControlPeer) async -> ControlReply {
    let total = facts.total
    switch call {
    case is RedeemOrder:
      return .answer(RedeemReport(list: 17, user: 1000, view: "17.0.1.aa", seconds: 60))
    case let order as StatesOrder:
      let first = min(order.offset, total)
      let digits = (first..<first + min(order.limit, total - first)).map { place in
        0x30 + facts.states(place + 1).rawValue
      }
      return .answer(
        StatesReport(
          list: list, record: 1, states: String(decoding: digits, as: UTF8.self)))
    case let order as PictureOrder where order.isThumbnail && !facts.prints.isEmpty:
      return .answer(thumbnail(order.photo))
    case is PictureOrder: return .answer(PictureReport())
    case let order as ShowOrder:
      let end = min(total, order.offset + order.limit)
      return .answer(
        ShowReport(
          list: list, photos: order.offset < end ? (order.offset..<end).map { photo($0 + 1) } : []))
    case let order as ColoursOrder:
      let groups = UInt64(order.groups)
      return .answer(
        ColoursReport(
          groups: (0..<groups).map { group in
            facts.colours(UInt32((group * UInt64(total) + groups - 1) / groups) + 1)
          }))
    case let order as FindOrder:
      let number = order.text.split(separator: " ").last.flatMap { UInt32($0) }
      return .answer(FindReport(photo: number))
    case is FollowOrder: return .answer(FollowReport(last: 1))
    default: return .failed(.notPossible(why: "not here"))
    }
  }

  private func thumbnail(_ number: UInt32) -> PictureReport {
    let file = try? LinuxFolder.open(path: facts.prints)
      .openFolder(Thumbnail.folder, creating: false).openFile(Thumbnail.file(number), .read)
    return PictureReport(type: file == nil ? nil : "image/jpeg", file: file)
  }
}
