// SPDX-License-Identifier: Apache-2.0
// The commands about the nodes of a cluster: `nodes` and `drain`. Raises `ControlFailure`.

internal import Linux
internal import Steer
internal import Vocabulary

extension DaemonTalk {
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
