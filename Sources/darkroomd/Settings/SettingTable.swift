// SPDX-License-Identifier: Apache-2.0
// The settings by section and key, each with its default and its form: the one list for the reader and for a
// reload. Tests compare the manual page and the sample file with it. Immutable. `apply` raises
// `TextProblem`.

import Vocabulary

struct SettingEntry: Sendable {
  let section: String
  let key: String
  /// The default, as the sample file writes it.
  let standard: String
  /// A change takes effect at the next start.
  let waits: Bool
  /// Repeated lines add up; an empty one clears them.
  let addsUp: Bool
  let apply: @Sendable (inout Settings, String) throws(TextProblem) -> Void
  let differs: @Sendable (Settings, Settings) -> Bool

  private init<Value>(
    _ section: String, _ key: String, _ standard: String,
    _ place: any WritableKeyPath<Settings, Value> & Sendable, _ form: SettingForm<Value>,
    waits: Bool = false
  ) {
    self.section = section
    self.key = key
    self.standard = standard
    self.waits = waits
    addsUp = form.addsUp
    apply = { (settings, text) throws(TextProblem) in
      settings[keyPath: place] = form.join(settings[keyPath: place], try form.read(text))
    }
    differs = { $0[keyPath: place] != $1[keyPath: place] }
  }

  static let all: [SettingEntry] =
    inbox + network + download + filter + output + record + report + hooks + cluster

  private static let inbox = [
    SettingEntry(
      "Inbox", "QuietTime", "5s", \.inbox.quietTime,
      .duration(from: .milliseconds(250), to: .seconds(3600)), waits: true),
    SettingEntry(
      "Inbox", "MaximumListSize", "256M", \.inbox.maximumListSize,
      .size("MaximumListSize", from: 1 << 10, to: 16 << 30), waits: true),
    SettingEntry(
      "Inbox", "RescanInterval", "5min", \.inbox.rescanInterval,
      .duration(from: .seconds(1), to: .seconds(86400)), waits: true),
    SettingEntry("Inbox", "Pictures", "yes", \.inbox.pictures, .yesOrNo, waits: true),
    SettingEntry(
      "Inbox", "MaximumLists", "10000", \.inbox.maximumLists, .count(from: 1, to: 1_000_000)),
    SettingEntry(
      "Inbox", "MaximumPhotos", "100000000", \.inbox.maximumPhotos,
      .count(from: 1, to: 4_000_000_000)),
    SettingEntry(
      "Inbox", "ListsPerUser", "10000", \.inbox.listsPerUser, .count(from: 1, to: 1_000_000)),
  ]

  private static let network = [
    SettingEntry("Network", "Proxy", "", \.network.proxy, .proxy),
    SettingEntry("Network", "NoProxy", "", \.network.noProxy, .hosts),
    SettingEntry(
      "Network", "CertificateAuthorities", "", \.network.certificateAuthorities, .path),
    SettingEntry("Network", "Contact", "", \.network.contact, .contact),
  ]

  private static let download = [
    SettingEntry(
      "Download", "Connections", "16", \.download.connections, .count(from: 1, to: 512)),
    SettingEntry(
      "Download", "ConnectionsPerHost", "6", \.download.connectionsPerHost,
      .count(from: 1, to: 512)),
    SettingEntry("Download", "AllowNetworks", "", \.download.allowNetworks, .networks),
    SettingEntry("Download", "DenyNetworks", "", \.download.denyNetworks, .networks),
    SettingEntry("Download", "FileFolders", "", \.download.fileFolders, .absolutePaths),
    SettingEntry(
      "Download", "MaximumSize", "64M", \.download.maximumSize,
      .size("MaximumSize", from: 1 << 10, to: 16 << 30)),
    SettingEntry(
      "Download", "Timeout", "10min", \.download.timeout,
      .duration(from: .seconds(1), to: .seconds(86400))),
    SettingEntry(
      "Download", "ConnectTimeout", "10s", \.download.connectTimeout,
      .duration(from: .seconds(1), to: .seconds(600))),
    SettingEntry(
      "Download", "StallTimeout", "30s", \.download.stallTimeout,
      .duration(from: .seconds(1), to: .seconds(3600))),
    SettingEntry(
      "Download", "Attempts", "8", \.download.attempts, .count(from: 1, to: 100), waits: true),
    SettingEntry(
      "Download", "Cache", "0", \.download.cache, .size("Cache", from: 0, to: 64 << 40)),
    SettingEntry(
      "Download", "HostPatience", "30min", \.download.hostPatience,
      .duration(from: .seconds(1), to: .seconds(7 * 86400))),
    SettingEntry(
      "Download", "FreeSpace", "auto", \.download.freeSpace,
      .auto(or: .size("FreeSpace", from: 0, to: 1 << 50))),
  ]

  private static let filter = [
    SettingEntry("Filter", "Filter", "sepia(0.8)", \.filter.function, .filter),
    SettingEntry("Filter", "Quality", "source", \.filter.quality, .quality),
    SettingEntry("Filter", "Metadata", "keep", \.filter.metadata, .metadata),
    SettingEntry("Filter", "PrivatePrints", "no", \.filter.privatePrints, .yesOrNo),
    SettingEntry(
      "Filter", "Workers", "auto", \.filter.workers, .auto(or: .count(from: 1, to: 256))),
    SettingEntry(
      "Filter", "MaximumPixels", "100000000", \.filter.maximumPixels,
      .pixels("MaximumPixels", from: 1_000_000, to: 4_000_000_000)),
    SettingEntry(
      "Filter", "MaximumMemory", "256M", \.filter.maximumMemory,
      .size("MaximumMemory", from: 16 << 20, to: 64 << 30)),
    SettingEntry(
      "Filter", "Timeout", "1min", \.filter.timeout,
      .duration(from: .seconds(1), to: .seconds(86400))),
  ]

  private static let output = [
    SettingEntry("Output", "Thumbnails", "240", \.output.thumbnails, .thumbnails),
    SettingEntry("Output", "ContactSheet", "yes", \.output.contactSheet, .yesOrNo),
  ]

  private static let record = [
    SettingEntry("Record", "Sync", "yes", \.record.sync, .yesOrNo, waits: true),
    SettingEntry(
      "Record", "KeepLists", "30d", \.record.keepLists,
      .age("KeepLists", from: .seconds(1), to: .seconds(3650 * 86400))),
    SettingEntry(
      "Record", "KeepPrints", "infinity", \.record.keepPrints,
      .infinity(
        or: .age(
          "KeepPrints", from: .seconds(1), to: .seconds(3650 * 86400),
          or: ", or infinity, which keeps all prints"))),
  ]

  private static let report = [
    SettingEntry(
      "Report", "Progress", "5s", \.report.progress,
      .duration(from: .seconds(1), to: .seconds(86400)), waits: true),
    SettingEntry(
      "Report", "Transitions", "no", \.report.transitions, .yesOrNo, waits: true),
  ]
  private static let hooks = [
    SettingEntry("Hooks", "OnFinished", "", \.hooks.onFinished, .program),
    SettingEntry("Hooks", "OnFailed", "", \.hooks.onFailed, .program),
    SettingEntry("Hooks", "Webhooks", "", \.hooks.webhooks, .webhooks),
    SettingEntry(
      "Hooks", "Timeout", "1min", \.hooks.timeout,
      .duration(from: .seconds(1), to: .seconds(86400))),
    SettingEntry(
      "Hooks", "WebhookTimeout", "30s", \.hooks.webhookTimeout,
      .duration(from: .seconds(1), to: .seconds(300))),
  ]

  private static let cluster = [
    SettingEntry("Cluster", "Ledger", "", \.cluster.ledger, .ledger, waits: true),
    SettingEntry("Cluster", "LedgerPassword", "", \.cluster.password, .secret),
    SettingEntry("Cluster", "Node", "auto", \.cluster.node, .node, waits: true),
    SettingEntry(
      "Cluster", "LeaseTime", "30s", \.cluster.leaseTime,
      .duration(from: .seconds(1), to: .seconds(600)), waits: true),
    SettingEntry(
      "Cluster", "Chunk", "256", \.cluster.chunk, .count(from: 8, to: 2048), waits: true),
    SettingEntry("Cluster", "Blobs", "", \.cluster.blobs, .blobs, waits: true),
    SettingEntry(
      "Cluster", "BlobRegion", "us-east-1", \.cluster.blobRegion, .region, waits: true),
    SettingEntry(
      "Cluster", "BlobCredentials", "", \.cluster.blobCredentials, .secret, waits: true),
  ]
}
