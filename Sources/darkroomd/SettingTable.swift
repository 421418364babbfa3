// SPDX-License-Identifier: Apache-2.0
// The settings by section and key. The one list that the reader, the man page, the sample file and
// the tests go by.

import Vocabulary

struct SettingEntry: Sendable {
  let section: String
  let key: String
  /// As it is written in the sample file.
  let standard: String
  let apply: @Sendable (inout Settings, String) throws(SettingProblem) -> Void

  private init(
    _ section: String, _ key: String, _ standard: String,
    _ apply: @escaping @Sendable (inout Settings, String) throws(SettingProblem) -> Void
  ) {
    self.section = section
    self.key = key
    self.standard = standard
    self.apply = apply
  }

  static let all: [SettingEntry] = inbox + download + filter + others

  private static let inbox = [
    SettingEntry("Inbox", "QuietTime", "5s") { (set, text) throws(SettingProblem) in
      set.quietTime = try SettingValue.duration(text, from: .milliseconds(250), to: .seconds(3600))
    },
    SettingEntry("Inbox", "MaximumListSize", "256M") { (set, text) throws(SettingProblem) in
      set.maximumListSize = try SettingValue.size(text, from: 1 << 10, to: 16 << 30)
    },
    SettingEntry("Inbox", "RescanInterval", "5min") { (set, text) throws(SettingProblem) in
      set.rescanInterval = try SettingValue.duration(text, from: .seconds(1), to: .seconds(86400))
    },
    SettingEntry("Inbox", "MaximumLists", "10000") { (set, text) throws(SettingProblem) in
      set.maximumLists = try SettingValue.count(text, from: 1, to: 1_000_000)
    },
    SettingEntry("Inbox", "MaximumPhotos", "100000000") { (set, text) throws(SettingProblem) in
      set.maximumPhotos = try SettingValue.count(text, from: 1, to: 4_000_000_000)
    },
  ]

  private static let download = [
    SettingEntry("Download", "Connections", "16") { (set, text) throws(SettingProblem) in
      set.connections = try SettingValue.count(text, from: 1, to: 512)
    },
    SettingEntry("Download", "ConnectionsPerHost", "6") { (set, text) throws(SettingProblem) in
      set.connectionsPerHost = try SettingValue.count(text, from: 1, to: 512)
    },
    SettingEntry("Download", "AllowNetworks", "") { (set, text) throws(SettingProblem) in
      try SettingValue.extend(&set.allowNetworks, with: text, SettingValue.network)
    },
    SettingEntry("Download", "DenyNetworks", "") { (set, text) throws(SettingProblem) in
      try SettingValue.extend(&set.denyNetworks, with: text, SettingValue.network)
    },
    SettingEntry("Download", "FileFolders", "") { (set, text) throws(SettingProblem) in
      try SettingValue.extend(&set.fileFolders, with: text, SettingValue.absolutePath)
    },
    SettingEntry("Download", "MaximumSize", "64M") { (set, text) throws(SettingProblem) in
      set.maximumSize = try SettingValue.size(text, from: 1 << 10, to: 16 << 30)
    },
    SettingEntry("Download", "Timeout", "10min") { (set, text) throws(SettingProblem) in
      set.timeout = try SettingValue.duration(text, from: .seconds(1), to: .seconds(86400))
    },
    SettingEntry("Download", "ConnectTimeout", "10s") { (set, text) throws(SettingProblem) in
      set.connectTimeout = try SettingValue.duration(text, from: .seconds(1), to: .seconds(600))
    },
    SettingEntry("Download", "StallTimeout", "30s") { (set, text) throws(SettingProblem) in
      set.stallTimeout = try SettingValue.duration(text, from: .seconds(1), to: .seconds(3600))
    },
    SettingEntry("Download", "Attempts", "8") { (set, text) throws(SettingProblem) in
      set.attempts = UInt32(try SettingValue.count(text, from: 1, to: 100))
    },
    SettingEntry("Download", "Cache", "0") { (set, text) throws(SettingProblem) in
      set.cache = try SettingValue.size(text, from: 0, to: 64 << 40)
    },
    SettingEntry("Download", "HostPatience", "30min") { (set, text) throws(SettingProblem) in
      set.hostPatience = try SettingValue.duration(text, from: .seconds(1), to: .seconds(7 * 86400))
    },
    SettingEntry("Download", "FreeSpace", "auto") { (set, text) throws(SettingProblem) in
      set.freeSpace = text == "auto" ? nil : try SettingValue.size(text, from: 0, to: 1 << 50)
    },
  ]

  private static let filter = [
    SettingEntry("Filter", "Filter", "sepia(0.8)") { (set, text) throws(SettingProblem) in
      do { set.filter = try FilterFunction(parsing: text) } catch {
        throw SettingProblem("\(error)")
      }
    },
    SettingEntry("Filter", "Quality", "source") { (set, text) throws(SettingProblem) in
      do { set.quality = try PrintQuality(parsing: text) } catch {
        throw SettingProblem("\(error), not '\(text)'")
      }
    },
    SettingEntry("Filter", "Metadata", "keep") { (set, text) throws(SettingProblem) in
      guard let rule = MetadataRule(name: text) else {
        throw SettingProblem("\(MetadataRule.names) is wanted, not '\(text)'")
      }
      set.metadata = rule
    },
    SettingEntry("Filter", "Workers", "auto") { (set, text) throws(SettingProblem) in
      set.workers = text == "auto" ? 0 : try SettingValue.count(text, from: 1, to: 256)
    },
    SettingEntry("Filter", "MaximumPixels", "100000000") { (set, text) throws(SettingProblem) in
      set.maximumPixels = UInt64(try SettingValue.count(text, from: 1, to: 4_000_000_000))
    },
    SettingEntry("Filter", "MaximumMemory", "256M") { (set, text) throws(SettingProblem) in
      set.maximumMemory = try SettingValue.size(text, from: 16 << 20, to: 64 << 30)
    },
    SettingEntry("Filter", "Timeout", "1min") { (set, text) throws(SettingProblem) in
      set.pictureTimeout = try SettingValue.duration(text, from: .seconds(1), to: .seconds(86400))
    },
  ]

  private static let others = [
    SettingEntry("Record", "Sync", "yes") { (set, text) throws(SettingProblem) in
      set.sync = try SettingValue.yesOrNo(text)
    },
    SettingEntry("Record", "KeepLists", "30d") { (set, text) throws(SettingProblem) in
      set.keepLists = try SettingValue.duration(
        text, from: .seconds(1), to: .seconds(3650 * 86400))
    },
    SettingEntry("Report", "Progress", "5s") { (set, text) throws(SettingProblem) in
      set.progress = try SettingValue.duration(text, from: .seconds(1), to: .seconds(86400))
    },
    SettingEntry("Report", "Transitions", "no") { (set, text) throws(SettingProblem) in
      set.transitions = try SettingValue.yesOrNo(text)
    },
  ]
}
