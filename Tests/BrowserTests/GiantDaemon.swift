// SPDX-License-Identifier: Apache-2.0
// A daemon with one list of any size, whose photos are all there, but for every hundredth, which has failed.
// Concurrency: immutable.

import Linux
import Steer
import Support
import Vocabulary

final class GiantDaemon: ControlService {
  static let token = String(repeating: "0a", count: 16)

  private let total: UInt32

  init(_ total: UInt32) { self.total = total }

  /// Serves on a socket until the test ends.
  static func serve(_ total: UInt32, at path: String) throws -> ControlServer {
    let server = try ControlServer(path: path, version: "1.0", clock: try SystemClock())
    try Reactor.start("giant") { reactor in
      await server.run(GiantDaemon(total), on: reactor)
    }
    return server
  }

  private var list: ListSummary {
    ListSummary(
      id: 17, name: "Everything", title: "", owner: 0, state: .running, serviceClass: .utility,
      total: total, new: 0, downloaded: 0, filtered: total - total / 100, failed: total / 100,
      accepted: 0)
  }

  private func photo(_ number: UInt32) -> PhotoSummary {
    PhotoSummary(
      number: number, name: "Photo number \(number)", url: "",
      state: number % 100 == 0 ? .failed : .filtered,
      reason: number % 100 == 0 ? "photos.example.org answered 404 Not Found" : "")
  }

  func handle(_ call: ControlCall, from peer: ControlPeer) async -> ControlReply {
    switch call {
    case .redeem: return .redeemed(RedeemReport(list: 17, view: "17.0.1.aa", seconds: 60))
    case .states(let order):
      let first = min(order.offset, total)
      let digits = (first..<first + min(order.limit, total - first)).map { place in
        (place + 1) % 100 == 0 ? UInt8(0x33) : 0x32
      }
      return .states(
        StatesReport(list: list, record: 1, states: String(decoding: digits, as: UTF8.self)))
    case .show(let order):
      let end = min(total, order.offset + order.limit)
      return .show(
        ShowReport(
          list: list, photos: order.offset < end ? (order.offset..<end).map { photo($0 + 1) } : []))
    case .find(let order):
      let number = order.text.split(separator: " ").last.flatMap { UInt32($0) }
      return .found(FindReport(photo: number))
    case .follow: return .followed(FollowReport(last: 1))
    default: return .failed(.notPossible(why: "not here"))
    }
  }
}
