// SPDX-License-Identifier: Apache-2.0
// A daemon with fixed answers, for the texts of darkroomctl: lists in every state, photos with long names, a host
// that does not answer.

import Linux
import Steer
import Vocabulary

struct ScreenDaemon: ControlService {
  static let start: UInt64 = 1_763_712_000_000
  /// An hour later.
  static let now: UInt64 = 1_763_715_600_000

  static let summer = list(17, "summer", .running, photos: 100, filtered: 40, failed: 2) { list in
    list.title = "Summer 2025"
    (list.downloaded, list.new) = (8, 50)
    list.pace = ListPace(bytes: 32_925_286, photosPerHour: 11_520)
  }
  static let lists = [
    list(4, "harbour-2024-08-every-photo-from-the-north-pier-and-the-lighthouse", .finished, 312) {
      $0.ended = 1_763_712_900_000
    },
    list(9, "山の写真", .finished, photos: 12, filtered: 11, failed: 1) {
      ($0.owner, $0.ended) = (1001, 1_763_714_000_000)
    },
    list(12, "winter", .cancelled, photos: 60, filtered: 3, failed: 0) {
      ($0.new, $0.ended) = (57, 1_763_715_000_000)
    },
    list(15, "attic", .paused, photos: 1, filtered: 0, failed: 0) { $0.new = 1 },
    list(16, "garden", .accepted, photos: 20, filtered: 0, failed: 0) { $0.new = 20 },
    summer,
  ]

  static let photos = [
    PhotoSummary(
      number: 1, name: "Barn", url: "https://photos.example.org/barn.jpg", state: .filtered,
      attempts: 1, bytes: 38_123, width: 800, height: 600, print: "Barn.jpg"),
    PhotoSummary(
      number: 2, name: "The old mill by the river, seen from the bridge in the first snow",
      url: "https://photos.example.org/mill.jpg", state: .filtered, attempts: 1,
      bytes: 5_038_123, width: 4000, height: 3000,
      print: "The old mill by the river, seen from the bridge in the first snow.jpg"),
    PhotoSummary(
      number: 3, name: "山の湖", url: "https://photos.example.org/lake.png", state: .failed,
      attempts: 1, code: "http.404", reason: "photos.example.org answered 404 Not Found"),
    PhotoSummary(
      number: 4, name: "Gate", url: "https://slow.example.org/gate.jpg", state: .new,
      attempts: 2, retry: now + 9000, code: "http.503",
      reason: "slow.example.org answered 503 Service Unavailable"),
    PhotoSummary(
      number: 5, name: "Yard", url: "https://photos.example.org/yard.jpg", state: .downloaded),
  ]

  private static func list(
    _ id: UInt64, _ name: String, _ state: ListState, photos: UInt32, filtered: UInt32,
    failed: UInt32, _ change: (inout ListSummary) -> Void
  ) -> ListSummary {
    var list = ListSummary(
      id: id, name: name, title: "", owner: 1000, state: state, serviceClass: .default,
      total: photos, new: 0, downloaded: 0, filtered: filtered, failed: failed, accepted: start)
    change(&list)
    list.end.isReturned = list.isFinal
    return list
  }

  private static func list(
    _ id: UInt64, _ name: String, _ state: ListState, _ photos: UInt32,
    _ change: (inout ListSummary) -> Void
  ) -> ListSummary {
    list(id, name, state, photos: photos, filtered: photos, failed: 0, change)
  }

  private static let status: StatusReport = {
    var status = report
    status.expiring = [
      "KeepPrints= sets 12 prints of 2 users in 3 lists aside within 20 h, the first in 60 min, and removes them a day later"
    ]
    return status
  }()

  private static let report = StatusReport(
    version: "1.0", state: "running", since: start,
    work: WorkCounts(
      lists: 3, photosWaiting: 73, photosRunning: 6, downloads: 4, filters: 1, outputs: 0),
    degraded: [
      "no right to take leases: lists are accepted after a quiet time",
      "list 16 waits: input/output error in /var/lib/darkroom/state/lists/16/originals",
    ],
    prints: "/var/lib/darkroom/prints", inbox: "/var/spool/darkroom/inbox",
    residentBytes: 19_922_944, sandbox: "no privileges, limits, Landlock, seccomp",
    hosts: [
      HostSummary(
        name: "slow.example.org", code: "http.503",
        reason: "slow.example.org answered 503 Service Unavailable", attempts: 4,
        since: now - 60_000, until: now + 9000)
    ], moreHosts: 1)

  private static let transfers = [
    TransferSummary(
      list: 17, photo: 51, name: "Mill", photos: 2, server: "photos.example.org",
      received: 1_048_576, total: 4_194_304, rate: 524_288),
    TransferSummary(
      list: 17, photo: 52, name: "The old mill by the river, seen from the bridge", photos: 1,
      server: "photos.of-a-host-with-a-long-name.example.org:8443", received: 0, total: nil,
      rate: 0),
  ]

  private func find(_ reference: ListReference) -> ListSummary? {
    Self.lists.last { "\($0.id)" == reference.text || $0.name == reference.text }
  }

  /// As it is when it is over.
  private func end(_ list: ListSummary) -> ListSummary {
    var end = list
    end.end.isReturned = true
    if list.isFinal { return end }
    end.state = ListState.finished.name
    (end.new, end.downloaded, end.filtered) = (0, 0, list.total - list.failed)
    (end.ended, end.pace) = (Self.now, ListPace())
    return end
  }

  func handle(_ call: any ControlMethod, from peer: ControlPeer) async -> ControlReply {
    switch call {
    case is StatusOrder: return .answer(StatusReply(Self.status))
    case is ListsOrder: return .answer(ListsReply(Self.lists))
    case let order as AgedOrder:
      return .answer(ListsReply(Self.lists.filter { $0.isAged(order.age, at: Self.now) }))
    case is InboxOrder: return .answer(InboxReply(Samples.inbox))
    case let order as ShowOrder:
      guard let list = find(order.list) else { return .failed(.noSuchList(name: order.list.text)) }
      let photos = Self.photos.filter { order.state == nil || $0.state == order.state?.name }
      return .answer(ShowReport(list: list, photos: Array(photos.prefix(Int(order.limit)))))
    case let order as RetryOrder:
      return find(order.list).map { .answer(ListReply($0)) }
        ?? .failed(.noSuchList(name: order.list.text))
    case let order as SheetOrder:
      return find(order.list) == nil
        ? .failed(.noSuchList(name: order.list.text))
        : .answer(
          SheetReport(
            page: "/var/lib/darkroom/prints/winter/index.html", pages: 1, thumbnails: 12))
    case let order as OpenOrder:
      return find(order.list).map { .answer(OpenReport(list: $0, token: Samples.token)) }
        ?? .failed(.noSuchList(name: order.list.text))
    case let order as any ListMethod:
      return find(order.list).map { .answer(ListReply($0)) }
        ?? .failed(.noSuchList(name: order.list.text))
    case is FlushOrder: return .answer(FlushReply(2))
    case is NodesOrder: return .answer(Samples.nodes)
    case is DrainOrder: return .answer(NodeReply(Samples.nodes.nodes[1]))
    case is ReloadOrder: return .answer(NotesReply(["Workers= takes effect at the next start"]))
    case is ForecastOrder: return .answer(NotesReply([]))
    case is WatchOrder: return .answer(watched)
    case is CacheOrder: return .answer(CacheReply(Samples.cache))
    case is MetricsOrder: return .answer(Samples.metrics)
    case is SettingsOrder: return .answer(SettingsReply(Samples.settings))
    default: return .failed(.notPossible(why: "not here"))
    }
  }

  private var watched: WatchReport {
    WatchReport(lists: Self.lists.filter { !$0.isFinal }, transfers: Self.transfers)
  }

  /// Three reports, then the last one.
  func stream(
    _ call: any ControlMethod, from peer: ControlPeer, to caller: ReplyStream
  ) async -> ControlReply {
    guard let order = call as? ShowOrder, let list = find(order.list) else {
      for _ in 0..<3 {
        guard call is WatchOrder, await caller.send(.answer(watched)) else { break }
      }
      return await handle(call, from: peer)
    }
    for _ in 0..<3 where !list.isFinal {
      guard await caller.send(.answer(ShowReport(list: list))) else { break }
    }
    return .answer(ShowReport(list: end(list)))
  }
}

/// A time that stands still.
struct FixedTime: TimeSource {
  func wallTime() -> UInt64 { ScreenDaemon.now }
  func uptime() -> Duration { .seconds(1000) }
}
