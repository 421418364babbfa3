// SPDX-License-Identifier: Apache-2.0
// Replies with a single member.

struct StatusReply: MessageValue {
  var status = StatusReport()

  static let fields: [Field] = [Field("status", \.status)]
}

struct ListReply: MessageValue {
  var list = ListSummary()

  static let fields: [Field] = [Field("list", \.list)]
}

struct ListsReply: MessageValue {
  var lists: [ListSummary] = []

  static let fields: [Field] = [Field("lists", \.lists)]
}

struct InboxReply: MessageValue {
  var inbox = InboxReport()

  static let fields: [Field] = [Field("inbox", \.inbox)]
}

struct NotesReply: MessageValue {
  var notes: [String] = []

  static let fields: [Field] = [Field("notes", \.notes)]
}

struct SettingsReply: MessageValue {
  var settings: [SettingSummary] = []

  static let fields: [Field] = [Field("settings", \.settings)]
}

struct FlushReply: MessageValue {
  var hosts = 0

  static let fields: [Field] = [Field("hosts", \.hosts)]
}

struct NodeReply: MessageValue {
  var node = NodeSummary()

  static let fields: [Field] = [Field("node", \.node)]
}

struct CacheReply: MessageValue {
  var cache = CacheReport()

  static let fields: [Field] = [Field("cache", \.cache)]
}
