// SPDX-License-Identifier: Apache-2.0
// The commands about work under way and the nodes that do it: `watch`, `cache`, `focus`, `unfocus`, `why`, `nodes`
// and `drain`. Raises `ControlFailure`.

internal import Linux
internal import Steer
internal import Vocabulary

extension DaemonTalk {
  /// On a terminal each report overwrites the last one; otherwise, and as JSON, reports follow each other.
  func watch(_ list: ListReference?) throws(ControlFailure) -> ExitCode {
    let client = try ControlClient(path: order.socket, clock: clock)
    var last: WatchReport?
    var height = 0
    try client.stream(.watch(WatchOrder(list: list))) { reply in
      guard case .watch(let report) = reply else { return false }
      last = report
      if order.isJSON {
        voice.say(.object(report.object))
      } else {
        let isStill = report.transfers.isEmpty && !report.lists.isEmpty
        let text = WatchText.text(
          report, voice.screen, hold: isStill && voice.screen.isTerminal ? hold() : nil)
        let back = voice.screen.isTerminal && height > 0 ? "\u{1B}[\(height)A\u{1B}[J" : ""
        voice.say(back + text)
        height = text.utf8.count { $0 == 0x0A }
      }
      return true
    }
    guard let end = last?.lists.first, list != nil, end.isFinal else { throw .lost }
    return .of([end])
  }

  func focus(_ order: FocusOrder) throws(ControlFailure) -> ExitCode { try focused(.focus(order)) }

  func unfocus(_ list: ListReference) throws(ControlFailure) -> ExitCode {
    try focused(.unfocus(list, viewer: ""))
  }

  private func focused(_ call: ControlCall) throws(ControlFailure) -> ExitCode {
    guard case .focused(let report) = try ask(call) else { throw Self.otherKind }
    tell(
      .object(report.object), FocusText.text(report, voice.screen, now: clock.wallTime()))
    return .done
  }

  func why(_ question: WhyOrder) throws(ControlFailure) -> ExitCode {
    guard case .why(let report) = try ask(.why(question)) else { throw Self.otherKind }
    tell(
      .object(report.object),
      WhyText.text(report, socket: order.socket, voice.screen, now: clock.wallTime()))
    return .done
  }

  func metrics() throws(ControlFailure) -> ExitCode {
    guard case .metrics(let report) = try ask(.metrics) else { throw Self.otherKind }
    tell(.object(report.object), MetricsText.text(report))
    return .done
  }

  func cache(_ clear: Bool) throws(ControlFailure) -> ExitCode {
    guard case .cache(let report) = try ask(.cache(clear: clear)) else { throw Self.otherKind }
    tell(["cache": .object(report.object)], CacheText.text(report, voice.screen))
    return .done
  }

  // MARK: nodes

  private static let pause = Duration.seconds(1)

  func nodes() throws(ControlFailure) -> ExitCode {
    let report = try askNodes()
    tell(.object(report.object), NodesText.text(report, voice.screen))
    return .done
  }

  func drain(_ task: DrainTask) throws(ControlFailure) -> ExitCode {
    guard case .drained(var node) = try ask(.drain(task.order)) else { throw Self.otherKind }
    while task.waits, node.leased > 0 {
      _ = try? Poll.wait([], for: Self.pause)
      node = try askNodes().nodes.first { $0.name == node.name } ?? node
    }
    tell(["node": .object(node.object)], NodesText.drained(node, voice.screen))
    return .done
  }

  private func askNodes() throws(ControlFailure) -> NodesReport {
    guard case .nodes(let report) = try ask(.nodes) else { throw Self.otherKind }
    return report
  }
}
