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
    try client.stream(WatchOrder(list: list)) { report in
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

  func focus(_ order: FocusOrder) throws(ControlFailure) -> ExitCode { try focused(order) }

  func unfocus(_ list: ListReference) throws(ControlFailure) -> ExitCode {
    try focused(UnfocusOrder(list: list))
  }

  private func focused(_ call: some ControlMethod<FocusReport>) throws(ControlFailure) -> ExitCode {
    let report = try ask(call)
    tell(
      .object(report.object), FocusText.text(report, voice.screen, now: clock.wallTime()))
    return .done
  }

  func why(_ question: WhyOrder) throws(ControlFailure) -> ExitCode {
    let report = try ask(question)
    tell(
      .object(report.object),
      WhyText.text(report, socket: order.socket, voice.screen, now: clock.wallTime()))
    return .done
  }

  func metrics() throws(ControlFailure) -> ExitCode {
    let report = try ask(MetricsOrder())
    tell(.object(report.object), MetricsText.text(report))
    return .done
  }

  func cache(_ clear: Bool) throws(ControlFailure) -> ExitCode {
    let report = try ask(CacheOrder(clear: clear)).cache
    tell(["cache": .object(report.object)], CacheText.text(report, voice.screen))
    return .done
  }

  // MARK: nodes

  private static let pause = Duration.seconds(1)

  func nodes() throws(ControlFailure) -> ExitCode {
    let report = try ask(NodesOrder())
    tell(.object(report.object), NodesText.text(report, voice.screen))
    return .done
  }

  func drain(_ task: DrainTask) throws(ControlFailure) -> ExitCode {
    var node = try ask(task.order).node
    while task.waits, node.leased > 0 {
      _ = try? Poll.wait([], for: Self.pause)
      node = try ask(NodesOrder()).nodes.first { $0.name == node.name } ?? node
    }
    tell(["node": .object(node.object)], NodesText.drained(node, voice.screen))
    return .done
  }
}
