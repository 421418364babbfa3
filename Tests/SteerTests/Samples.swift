// SPDX-License-Identifier: Apache-2.0
// Sample answers of a daemon.

import Steer
import Vocabulary

enum Samples {
  static let token = "00112233445566778899aabbccddeeff"
  static let view = "17.1000.1764000000." + String(repeating: "0a", count: 32)

  static let status = StatusReport(
    version: "1.0", state: "running", since: 1_763_712_000_000,
    work: WorkCounts(
      lists: 2, photosWaiting: 90, photosRunning: 6, downloads: 4, filters: 2, outputs: 0),
    degraded: ["no right to take leases: lists are accepted after a quiet time"],
    prints: "/var/lib/darkroom/prints", inbox: "/var/spool/darkroom/inbox",
    residentBytes: 19_922_944, sandbox: "seccomp, landlock, no network",
    hosts: [
      HostSummary(
        name: "photos.example.org", code: "http.503",
        reason: "photos.example.org answered 503 Service Unavailable", attempts: 4,
        since: 1_763_712_300_000, until: 1_763_712_400_000)
    ], moreHosts: 2)

  static let waiting = ClusterSummary(
    node: "alpha", trouble: "the ledger does not answer", since: 1_763_712_388_000, outbox: 120)

  static let nodes = NodesReport(
    own: "alpha", leaseSeconds: 30,
    nodes: [
      NodeSummary(name: "alpha", state: .working, seen: 0, leased: 768, version: "0.1.0"),
      NodeSummary(name: "beta", state: .draining, seen: 1, leased: 32, version: ""),
      NodeSummary(name: "delta", state: .drained, seen: 3, leased: 0, version: "0.1.0"),
      NodeSummary(name: "gamma", state: .silent, seen: 24, leased: 512, version: "0.1.0"),
    ])

  static let list = ListSummary(
    id: 17, name: "summer", title: "Summer 2025", owner: 1000, state: .running,
    serviceClass: .utility, total: 100, new: 50, downloaded: 8, filtered: 40, failed: 2,
    accepted: 1_763_712_345_000)

  static let waits: [WaitSummary] = {
    var host = WaitSummary(
      .host, photos: 40, number: 3, host: "photos.example.org", since: 1_763_712_300_000,
      until: 1_763_712_400_000)
    (host.name, host.code, host.reason) = ("Mill", "http.503", "it answered 503")
    host.attempt = 4
    var download = WaitSummary(
      .downloading, photos: 1, number: 4, host: "photos.example.org", since: 1_763_712_340_000)
    (download.name, download.received, download.total) = ("Lake", 1_048_576, 4_194_304)
    var turn = WaitSummary(.turn, photos: 17, number: 60)
    (turn.name, turn.ahead, turn.beside) = ("Barn", 1000, 1)
    return [
      WaitSummary(.working, photos: 58), host, download, turn, WaitSummary(.failed, photos: 2),
    ]
  }()

  static let focus = FocusReport(
    list: list, photos: 100, left: 12, until: 1_763_712_405_000)

  static let photos = [
    PhotoSummary(
      number: 1, name: "Barn", url: "https://photos.example.org/barn.jpg", state: .filtered,
      attempts: 1, bytes: 38_123, width: 800, height: 600, print: "Barn.jpg"),
    PhotoSummary(
      number: 2, name: "Lake", url: "https://photos.example.org/lake.png", state: .failed,
      attempts: 3, code: "http.404", reason: "the origin has no such file"),
    PhotoSummary(
      number: 3, name: "Mill", url: "https://photos.example.org/mill.jpg", state: .new,
      attempts: 2, retry: 1_763_712_399_000, code: "http.503", reason: "the origin is busy"),
  ]

  static let inbox = InboxReport(
    files: [
      InboxFile(
        name: "slow.plist", fate: .waiting,
        why: OwnersReason(open: "a program has it open for writing"), for: 0),
      InboxFile(
        name: "notes.doc", fate: .ignored,
        why: OwnersReason(open: "its name does not end in .plist, .json, .csv or .txt"), for: 0),
      InboxFile(
        name: "bad.plist", fate: .rejected, list: 18,
        why: OwnersReason("the file is empty", of: 1000), for: 0),
      InboxFile(name: "summer.plist", fate: .accepted, list: 17, for: 0),
    ], more: 3, trouble: "the inbox cannot be watched")

  static let watch = WatchReport(
    lists: [list],
    transfers: [
      TransferSummary(
        list: 17, photo: 3, name: "Mill", photos: 2, server: "photos.example.org",
        received: 1_048_576, total: 4_194_304, rate: 524_288),
      TransferSummary(
        list: 17, photo: 4, name: "Lake", photos: 1, server: "photos.example.org:8443",
        received: 0, total: nil, rate: 0),
    ])

  static let settings = [
    SettingSummary(section: "Inbox", key: "QuietTime", value: "5s"),
    SettingSummary(
      section: "Inbox", key: "RescanInterval", value: "5min", next: "9min",
      nextPlaces: [SettingPlace(file: "/etc/darkroom/darkroomd.conf.d/50-nfs.conf", line: 3)]),
    SettingSummary(
      section: "Download", key: "AllowNetworks", value: "10.0.0.0/8 192.168.7.0/24",
      places: [
        SettingPlace(file: "/etc/darkroom/darkroomd.conf", line: 31),
        SettingPlace(file: "/etc/darkroom/darkroomd.conf.d/50-nfs.conf", line: 7),
      ]),
    SettingSummary(section: "Download", key: "DenyNetworks", value: ""),
  ]

  static let metrics = MetricsReport(families: [
    MetricFamily(
      "darkroom_photo_failures", .counter, "Photos that failed for good, by \"stage\".",
      [
        .init("3", suffix: "_total", labels: [.init("stage", "download")]),
        .init("0", suffix: "_total", labels: [.init("stage", "a\\\"\nb")]),
      ]),
    MetricFamily(
      "darkroom_start_time_seconds", .gauge, unit: "seconds", "When the daemon started.",
      [.init("1763712345.123")]),
    MetricFamily(
      "darkroom_record_sync_seconds", .histogram, unit: "seconds", "Time of the disk.",
      [
        .init("7", suffix: "_bucket", labels: [.init("what", "files"), .init("le", "0.001")]),
        .init("9", suffix: "_bucket", labels: [.init("what", "files"), .init("le", "+Inf")]),
        .init("9", suffix: "_count", labels: [.init("what", "files")]),
        .init("0.021", suffix: "_sum", labels: [.init("what", "files")]),
      ]),
  ])

  static let cache = CacheReport(
    limit: 1 << 30, entries: 12, bytes: 3_145_728, hits: 7, misses: 5)

  static func peer(_ user: UInt32) -> ControlPeer {
    ControlPeer(process: 1, user: user, group: user)
  }
}
