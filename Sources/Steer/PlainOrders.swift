// SPDX-License-Identifier: Apache-2.0
// The messages of the methods that name no list and have at most one parameter; and all replies with a single member.

package struct StatusOrder: ControlMethod {
  package typealias Answer = StatusReply

  package init() {}
  package static let fields: [Field] = []
  package static let about = "The current state of the daemon."
}

package struct StatusReply: MessageValue {
  package var status = StatusReport()

  package init(_ status: StatusReport) { self.status = status }

  package init() {}
  package static let fields: [Field] = [Field("status", \.status)]
}

package struct ListsOrder: ControlMethod {
  package typealias Answer = ListsReply

  package init() {}
  package static let fields: [Field] = []
  package static let about = "All known lists, the oldest first."

  /// Two at once: the length depends on the number of lists.
  package func room(_ limits: ControlLimits) -> Int { limits.unreadPerUser / 2 }
}

package struct AgedOrder: ControlMethod {
  package typealias Answer = ListsReply

  /// Since the end of a list, as the daemon judges it.
  package var age = Duration.zero

  package init(age: Duration) { self.age = age }

  package init() {}
  package static let fields: [Field] = [Field("age", \.age)]
  package static let about = """
    The lists that ended at least age milliseconds ago, the oldest first. Refused until the clock was right for an hour.
    """

  /// Two at once: the length depends on the number of lists.
  package func room(_ limits: ControlLimits) -> Int { limits.unreadPerUser / 2 }
}

package struct ListsReply: MessageValue {
  package var lists: [ListSummary] = []

  package init(_ lists: [ListSummary]) { self.lists = lists }

  package init() {}
  package static let fields: [Field] = [Field("lists", \.lists)]
}

/// The list after a change; the new list after `Retry`; the list as it was after `Remove`.
package struct ListReply: MessageValue {
  package var list = ListSummary()
  /// The files that `Remove` left, in words with the reason; nil if it left none.
  package var rest: String?

  package init(_ list: ListSummary, rest: String? = nil) { (self.list, self.rest) = (list, rest) }

  package init() {}
  package static let fields: [Field] = [Field("list", \.list), Field("rest", \.rest)]
}

package struct InboxOrder: ControlMethod {
  package typealias Answer = InboxReply

  package init() {}
  package static let fields: [Field] = []
  package static let about = """
    Scans the inbox and returns its files, at most 1000 and about 1 MiB, and the last files that left it.
    """

  package func room(_ limits: ControlLimits) -> Int { ControlLimits.page }
}

package struct InboxReply: MessageValue {
  package var inbox = InboxReport()

  package init(_ inbox: InboxReport) { self.inbox = inbox }

  package init() {}
  package static let fields: [Field] = [Field("inbox", \.inbox)]
}

package struct ReloadOrder: ControlMethod {
  package typealias Answer = NotesReply

  package init() {}
  package static let fields: [Field] = []
  package static let isChange = true
  package static let about = """
    Reloads the settings. Replies when they are in force; notes name the settings that need a restart, and the
    prints and lists that KeepPrints= and KeepLists= remove soon.
    """
}

/// The notes name the settings that need a restart, and what will be removed.
package struct NotesReply: MessageValue {
  package var notes: [String] = []

  package init(_ notes: [String]) { self.notes = notes }

  package init() {}
  package static let fields: [Field] = [Field("notes", \.notes)]
}

package struct SettingsOrder: ControlMethod {
  package typealias Answer = SettingsReply

  package init() {}
  package static let fields: [Field] = []
  package static let about = "The settings in force, and the files and lines that they come from."
}

package struct SettingsReply: MessageValue {
  package var settings: [SettingSummary] = []

  package init(_ settings: [SettingSummary]) { self.settings = settings }

  package init() {}
  package static let fields: [Field] = [Field("settings", \.settings)]
}

package struct FlushOrder: ControlMethod {
  package typealias Answer = FlushReply

  /// Nil for all hosts.
  package var host: String?

  package init(host: String?) { self.host = host }

  package init() {}
  package static let fields: [Field] = [Field("host", \.host)]
  package static let isChange = true
  package static let about = """
    Retries a host that does not answer, at once. Without a host: all such hosts, and every photo that
    waits for another attempt. HostPatience= is not restarted. Only root and the daemon's user may omit
    the host, or name one that asked to be left alone; others name one that a list uses which they may look at.
    Returns the number of hosts that did not answer.
    """
}

/// The number of hosts that did not answer and are retried now.
package struct FlushReply: MessageValue {
  package var hosts = 0

  package init(_ hosts: Int) { self.hosts = hosts }

  package init() {}
  package static let fields: [Field] = [Field("hosts", \.hosts)]
}

package struct NodesOrder: ControlMethod {
  package typealias Answer = NodesReport

  package init() {}
  package static let fields: [Field] = []
  package static let about = """
    The machines that share lists through a ledger, by name; own is the one that answers. The photos of a node that
    is silent for longer than leaseSeconds go to others.
    """
}

package struct NodeReply: MessageValue {
  package var node = NodeSummary()

  package init(_ node: NodeSummary) { self.node = node }

  package init() {}
  package static let fields: [Field] = [Field("node", \.node)]
}

package struct CacheOrder: ControlMethod {
  package typealias Answer = CacheReply

  package var clear = false

  package init(clear: Bool) { self.clear = clear }

  package init() {}
  package static let fields: [Field] = [Field("clear", \.clear, isOptional: true)]
  package static let isChange = true
  package static let about = """
    The cache of originals. Only root and the daemon's user may clear it.
    """
}

package struct CacheReply: MessageValue {
  package var cache = CacheReport()

  package init(_ cache: CacheReport) { self.cache = cache }

  package init() {}
  package static let fields: [Field] = [Field("cache", \.cache)]
}

package struct MetricsOrder: ControlMethod {
  package typealias Answer = MetricsReport

  package init() {}
  package static let fields: [Field] = []
  package static let about = """
    Numbers for a monitoring system. Counters begin with the start of the daemon.
    """
}
