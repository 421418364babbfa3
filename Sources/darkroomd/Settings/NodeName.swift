// SPDX-License-Identifier: Apache-2.0
// The rule for the name of a node, for the setting and for the name of the machine, which `Node=auto` takes. Raises
// `TextProblem`.

import Linux
import Vocabulary

enum NodeName {
  private static let rule = "a node has a name of at most 64 letters, digits, dots and dashes"

  static func read(_ text: String) throws(TextProblem) -> String {
    guard isPossible(text) else { throw TextProblem("\(rule), not '\(text)'") }
    return text
  }

  /// - Parameter host: the name of this machine.
  static func find(
    _ settings: Settings.Cluster, on host: String = ThisProcess.hostName
  ) throws(TextProblem) -> String {
    if let name = settings.node { return name }
    if host.isEmpty { throw TextProblem("this machine has no name: set Node=") }
    guard isPossible(host) else {
      throw TextProblem(
        "Node=auto takes the name of this machine, '\(Printable.text(host))', and \(rule): set Node="
      )
    }
    return host
  }

  private static func isPossible(_ text: String) -> Bool {
    SettingForm<String>.isPlainName(text, marks: "-._")
  }
}
