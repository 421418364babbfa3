// SPDX-License-Identifier: Apache-2.0
// The daemon's replies to calls as values, shared by both ends of the socket.

package import Linux

package enum ControlReply: Equatable, Sendable {
  case status(StatusReport)
  case lists([ListSummary])
  case inbox(InboxReport)
  case show(ShowReport)
  case why(WhyReport)
  /// The list after `Pause`, `Resume`, `Cancel` or `SetQuality`; the new list after `Retry`; the list as it was after
  /// `Remove`.
  case changed(ListSummary)
  case sheet(SheetReport)
  case focused(FocusReport)
  /// The settings are in force; `notes` names those that need a restart, and what will be removed.
  case reloaded(notes: [String])
  case foreseen(notes: [String])
  case settings([SettingSummary])
  case watch(WatchReport)
  case followed(FollowReport)
  case opened(OpenReport)
  case redeemed(RedeemReport)
  case states(StatesReport)
  case colours(ColoursReport)
  case found(FindReport)
  case picture(PictureReport)
  case cache(CacheReport)
  case metrics(MetricsReport)
  /// The number of hosts that did not answer and are retried now.
  case flushed(hosts: Int)
  case nodes(NodesReport)
  /// The node after `Drain`.
  case drained(NodeSummary)
  case failed(ControlError)

  package var parameters: JSONObject {
    switch self {
    case .status(let report): StatusReply(status: report).object
    case .inbox(let report): InboxReply(inbox: report).object
    case .lists(let lists): ListsReply(lists: lists).object
    case .show(let report): report.object
    case .why(let report): report.object
    case .changed(let list): ListReply(list: list).object
    case .sheet(let report): report.object
    case .focused(let report): report.object
    case .reloaded(let notes), .foreseen(let notes): NotesReply(notes: notes).object
    case .settings(let settings): SettingsReply(settings: settings).object
    case .watch(let report): report.object
    case .followed(let report): report.object
    case .opened(let report): report.object
    case .redeemed(let report): report.object
    case .states(let report): report.object
    case .colours(let report): report.object
    case .found(let report): report.object
    case .picture(let report): report.object
    case .cache(let report): CacheReply(cache: report).object
    case .metrics(let report): report.object
    case .flushed(let hosts): FlushReply(hosts: hosts).object
    case .nodes(let report): report.object
    case .drained(let node): NodeReply(node: node).object
    case .failed(let error): error.parameters
    }
  }

  /// To a caller that wants no reply, or has left.
  package static let unread = failed(.notPossible(why: "no reply is wanted"))

  /// The open file that goes with the reply.
  package var file: LinuxFile? {
    guard case .picture(let report) = self else { return nil }
    return report.file
  }

  /// The same with an open file that has come with it.
  package func with(_ file: LinuxFile?) -> ControlReply {
    guard case .picture(var report) = self else { return self }
    report.file = file
    return .picture(report)
  }

  /// Reads the reply to a call of this method.
  package init(to method: ControlCall.Method, _ parameters: JSONObject) throws(FieldError) {
    switch method {
    case .status: self = .status(try StatusReply(parameters).status)
    case .inbox: self = .inbox(try InboxReply(parameters).inbox)
    case .lists, .aged: self = .lists(try ListsReply(parameters).lists)
    case .show: self = .show(try ShowReport(parameters))
    case .why: self = .why(try WhyReport(parameters))
    case .pause, .resume, .cancel, .quality, .retry, .remove:
      self = .changed(try ListReply(parameters).list)
    case .sheet: self = .sheet(try SheetReport(parameters))
    case .focus, .unfocus: self = .focused(try FocusReport(parameters))
    case .reload: self = .reloaded(notes: try NotesReply(parameters).notes)
    case .forecast: self = .foreseen(notes: try NotesReply(parameters).notes)
    case .settings: self = .settings(try SettingsReply(parameters).settings)
    case .flush: self = .flushed(hosts: try FlushReply(parameters).hosts)
    case .nodes: self = .nodes(try NodesReport(parameters))
    case .drain: self = .drained(try NodeReply(parameters).node)
    case .watch: self = .watch(try WatchReport(parameters))
    case .follow: self = .followed(try FollowReport(parameters))
    case .open: self = .opened(try OpenReport(parameters))
    case .redeem: self = .redeemed(try RedeemReport(parameters))
    case .states: self = .states(try StatesReport(parameters))
    case .colours: self = .colours(try ColoursReport(parameters))
    case .find: self = .found(try FindReport(parameters))
    case .picture: self = .picture(try PictureReport(parameters))
    case .cache: self = .cache(try CacheReply(parameters).cache)
    case .metrics: self = .metrics(try MetricsReport(parameters))
    }
  }
}
