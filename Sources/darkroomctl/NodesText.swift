// SPDX-License-Identifier: Apache-2.0
// The output of `nodes` and `drain`.

package import Steer
internal import Vocabulary

package enum NodesText {
  package static func text(_ report: NodesReport, _ screen: ToolScreen) -> String {
    guard screen.isTerminal else { return report.nodes.map(plain).joined() }
    var table = TextTable([
      .init("NODE", least: 8), .init("STATE"), .init("SEEN", isRight: true),
      .init("LEASED", isRight: true), .init("VERSION"), .init("", isSpare: true),
    ])
    for node in report.nodes {
      table.add([
        .init(Printable.text(node.name)), .init(node.state.rawValue, tone(node.state)),
        .init(Amounts.span(milliseconds: node.seen * 1000)), .init("\(node.leased)"),
        .init(version(node, "unknown")), .init(remark(node, report)),
      ])
    }
    return table.text(screen)
  }

  static func plain(_ node: NodeSummary) -> String {
    TextTable.plain([
      Printable.text(node.name), node.state.rawValue, "\(node.seen)", "\(node.leased)",
      version(node, "-"),
    ])
  }

  private static func version(_ node: NodeSummary, _ none: String) -> String {
    node.version.isEmpty ? none : Printable.text(node.version)
  }

  private static func tone(_ state: NodeSummary.State) -> ToolScreen.Tone? {
    switch state {
    case .working: .good
    case .silent: .bad
    case .draining, .drained, .left: nil
    }
  }

  private static func remark(_ node: NodeSummary, _ report: NodesReport) -> String {
    switch node.state {
    case .working: return node.name == report.own ? "this node" : ""
    case .draining: return "takes no new photos"
    case .drained: return "may be stopped"
    case .left: return "was drained, and is not heard any more"
    case .silent:
      if node.leased == 0 { return "" }
      let left = report.leaseSeconds - min(report.leaseSeconds, node.seen)
      return left == 0
        ? "its photos go to other nodes" : "its photos go to other nodes in \(left) s"
    }
  }

  /// The outcome of `drain`.
  package static func drained(_ node: NodeSummary, _ screen: ToolScreen) -> String {
    guard screen.isTerminal else { return plain(node) }
    let name = Printable.text(node.name)
    let sentence =
      switch node.state {
      case .working: "\(name) takes new photos."
      case .draining:
        "\(name) takes no new photos; \(Amounts.counted(node.leased, "photo is", "photos are")) left."
      case .drained, .left: "\(name) takes no new photos, and has none left."
      case .silent: "\(name) is silent: it takes no new photos when it comes back."
      }
    return sentence + "\n"
  }
}
