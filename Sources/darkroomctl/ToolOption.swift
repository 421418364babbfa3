// SPDX-License-Identifier: Apache-2.0
// The options of the tool. A row of a command names those that it takes; `common` are those of every command. Options of
// one name either all take a value or none does.

internal import Vocabulary

package struct ToolOption: Sendable {
  package let name: String
  let short: String?
  /// The kind of its value; nil if the option takes none.
  let value: WordKind?
  /// For the completions.
  let summary: String

  init(_ name: String, _ summary: String, short: String? = nil, value: WordKind? = nil) {
    (self.name, self.short, self.value, self.summary) = (name, short, value, summary)
  }

  /// As it may be written.
  var names: [String] { [short, name].compactMap { $0 } }

  func isWritten(_ word: String) -> Bool { word == name || word == short }

  static let root = Self(
    "--root", "use the darkroomd that was started with this root", value: .folders)
  static let socket = Self("--socket", "use this control socket", value: .files)
  static let json = Self("--json", "print results and errors as JSON")
  static let plain = Self("--plain", "print columns for scripts")
  static let noPager = Self("--no-pager", "show long results without a pager")
  static let help = Self("--help", "show the help", short: "-h")
  static let version = Self("--version", "print the version")
  package static let common = [root, socket, json, plain, noPager, help, version]

  static let check = Self("--check", "print one line for a monitoring system")
  static let photoState = Self(
    "--state", "only photos in this state", value: .words(SeenState.allCases.map(\.name)))
  static let listStates = Self(
    "--state", "only lists in these states", value: .someOf(ListState.allCases.map(\.name)))
  static let user = Self("--user", "only lists of this user", value: .users)
  static let all = Self("--all", "all lists that can be changed")
  static let timeout = Self("--timeout", "how long to wait", value: .nothing)
  static let output = Self("--output", "folder for the prints", short: "-o", value: .folders)
  static let filter = Self("--filter", "filter for the pictures", value: .nothing)
  static let quality = Self("--quality", "quality of JPEG prints", value: .words(["source"]))
  static let metadata = Self(
    "--metadata", "metadata to keep", value: .words(["keep", "copyright", "strip"]))
  static let notify = Self(
    "--notify", "URL that is notified when the list is over", value: .nothing)
  static let force = Self("--force", "replace existing prints", short: "-f")
  static let jobs = Self("--jobs", "number of pictures at once", short: "-j", value: .nothing)
  static let name = Self("--name", "name of the list", value: .nothing)
  static let wait = Self("--wait", "wait until the list is finished")
  static let waitForNode = Self("--wait", "wait until the node has no photos left")
  static let lease = Self("--for", "length of the focus", value: .nothing)
  static let follow = Self("--follow", "show new messages as they come", short: "-f")
  static let lines = Self("--lines", "how many messages", short: "-n", value: .words(["all"]))
  static let explain = Self("--explain", "show the explanations of the messages", short: "-x")
  static let serviceClass = Self("--quality-of-service", "class of the list", value: .classes)
  static let isPrivate = Self("--private", "let only you and root read the prints")
  static let address = Self("--address", "where people reach the pages", value: .nothing)
  static let off = Self("--off", "let the node take new photos again")
  static let now = Self("--now", "give the photos of the node back")

  /// Those of all commands.
  package static let everyOne = common + ToolCommand.all.flatMap(\.syntax.options)
}
