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
    case .status(let report): JSONObject(["status": .value(report)])
    case .inbox(let report): JSONObject(["inbox": .value(report)])
    case .lists(let lists): JSONObject(["lists": .values(lists)])
    case .show(let report): report.object
    case .why(let report): report.object
    case .changed(let list): JSONObject(["list": .value(list)])
    case .sheet(let report): report.object
    case .focused(let report): report.object
    case .reloaded(let notes), .foreseen(let notes):
      JSONObject(["notes": .array(notes.map { .string($0) })])
    case .settings(let settings): JSONObject(["settings": .values(settings)])
    case .watch(let report): report.object
    case .followed(let report): report.object
    case .opened(let report): report.object
    case .redeemed(let report): report.object
    case .states(let report): report.object
    case .colours(let report): report.object
    case .found(let report): report.object
    case .picture(let report): report.object
    case .cache(let report): JSONObject(["cache": .value(report)])
    case .metrics(let report): report.object
    case .flushed(let hosts): JSONObject(["hosts": .int(Int64(hosts))])
    case .nodes(let report): report.object
    case .drained(let node): JSONObject(["node": .value(node)])
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
    let fields = MessageFields(parameters)
    switch method {
    case .status: self = .status(try fields.value("status"))
    case .inbox: self = .inbox(try fields.value("inbox"))
    case .lists, .aged: self = .lists(try fields.values("lists"))
    case .show: self = .show(try ShowReport(fields))
    case .why: self = .why(try WhyReport(fields))
    case .pause, .resume, .cancel, .quality, .retry, .remove:
      self = .changed(try fields.value("list"))
    case .sheet: self = .sheet(try SheetReport(fields))
    case .focus, .unfocus: self = .focused(try FocusReport(fields))
    case .reload: self = .reloaded(notes: try fields.strings("notes"))
    case .forecast: self = .foreseen(notes: try fields.strings("notes"))
    case .settings: self = .settings(try fields.values("settings"))
    case .flush: self = .flushed(hosts: try fields.count("hosts"))
    case .nodes: self = .nodes(try NodesReport(fields))
    case .drain: self = .drained(try fields.value("node"))
    case .watch: self = .watch(try WatchReport(fields))
    case .follow: self = .followed(try FollowReport(fields))
    case .open: self = .opened(try OpenReport(fields))
    case .redeem: self = .redeemed(try RedeemReport(fields))
    case .states: self = .states(try StatesReport(fields))
    case .colours: self = .colours(try ColoursReport(fields))
    case .find: self = .found(try FindReport(fields))
    case .picture: self = .picture(try PictureReport(fields))
    case .cache: self = .cache(try fields.value("cache"))
    case .metrics: self = .metrics(try MetricsReport(fields))
    }
  }
}
