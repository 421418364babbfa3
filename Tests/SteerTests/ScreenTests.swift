// SPDX-License-Identifier: Apache-2.0
// The whole text of each command, with a daemon of fixed answers, at a fixed time: at 80 columns, in a pipe, and
// with --plain. The texts are in Tests/SteerTests/Screens. To write them again after a change, run
//
//   DARKROOM_REWRITE=1 swift test --filter ScreenTests
//
// and read the difference.

import Foundation
import Linux
import Steer
import Support
import Testing
import Vocabulary

@testable import darkroomctl

struct ScreenTests {
  private static let folder = "Tests/SteerTests/Screens"
  private static let isRewriting =
    ProcessInfo.processInfo.environment["DARKROOM_REWRITE"]?.isEmpty == false

  private static let commands: [(name: String, line: String)] = [
    ("brief", ""), ("status", "status"), ("list", "list"),
    ("list-state", "list --state finished,cancelled --user anna"), ("inbox", "inbox"),
    ("show", "show summer"), ("show-failed", "show --state failed summer"),
    ("wait", "wait summer winter"), ("pause", "pause summer"), ("cancel", "cancel sumer"),
    ("remove", "remove winter"), ("remove-many", "remove winter nemo 12 9"),
    ("prune", "prune --older-than 30min"), ("prune-dry", "prune --dry-run *"),
    ("sheet", "sheet winter"),
    ("open", "open --address https://photos.example.org/ summer"), ("retry", "retry summer"),
    ("flush", "flush"), ("nodes", "nodes"), ("drain", "drain beta"), ("reload", "reload"),
    ("watch", "watch"), ("cache", "cache"), ("config", "config"), ("metrics", "metrics"),
    ("check-status", "status --check"),
  ]

  private enum Form: String, CaseIterable {
    case terminal = "80", pipe, plain

    var screen: ToolScreen {
      switch self {
      case .terminal: ToolScreen(isTerminal: true)
      case .pipe: ToolScreen(isTerminal: false)
      case .plain: .plain
      }
    }
  }

  private static func users(_ user: UInt32) -> String? {
    [1000: "anna", 1001: "berta"][user]
  }

  /// Compares with the file of this name, or writes it.
  static func expect(_ text: String, as name: String) throws {
    let path = "\(folder)/\(name).txt"
    if isRewriting {
      try text.write(toFile: Repository.path(path), atomically: true, encoding: .utf8)
    }
    let expected = Repository.text(path)
    #expect(
      text == expected,
      "\(path) differs; DARKROOM_REWRITE=1 swift test --filter ScreenTests writes it again")
  }

  private func text(_ out: String, _ errors: String) -> String {
    errors.isEmpty ? out : "\(out)-- standard error --\n\(errors)"
  }

  @Test("the whole text of each command is as expected", arguments: commands.indices)
  func screens(place: Int) async throws {
    let (name, line) = Self.commands[place]
    let folder = try FreshFolder.forSockets()
    let socket = "\(folder.path)/control"
    let server = try RunningServer(
      path: socket, handler: ScreenDaemon(), clock: try SystemClock())
    for form in Form.allCases {
      let words = SpokenWords()
      let plain = form == .plain ? ["--plain"] : []
      let order = try ToolArguments.read(
        ["--socket", socket] + plain + line.split(separator: " ").map(String.init))
      let voice = words.voice(form.screen)
      _ = try await onOwnThread {
        DaemonTalk(
          order: order, voice: voice, clock: FixedTime(), users: { Self.users($0) },
          caller: 0
        ).run()
      }
      // The folder has another name in each run, of the same length.
      let root = "/srv/darkroom-of-the-photographers-of-the-north-pier".prefix(folder.path.count)
      let said = text(words.out, words.error).replacing(folder.path, with: root)
      try Self.expect(said, as: "\(name).\(form.rawValue)")
    }
    server.stop()
    await server.stopped()
  }

  @Test func `the description of the interface is as expected`() throws {
    try Self.expect(
      try #require(ControlInterface.description(of: ControlInterface.name)), as: "interface")
  }

  @Test(arguments: [40, 80, 120])
  func `the help is as expected, and fits the terminal`(columns: Int) throws {
    let screen = ToolScreen(isTerminal: true, columns: columns)
    for command in [nil] + ToolCommand.all.map(Optional.some) {
      let text = HelpPage.text(command, screen)
      #expect(text.split(separator: "\n").allSatisfy { $0.count <= columns }, "\(text)")
      let words = text.split(whereSeparator: \.isWhitespace)
      #expect(words == HelpText.text(command).split(whereSeparator: \.isWhitespace))
    }
    if columns == 80 {
      try Self.expect(HelpPage.text(nil, screen), as: "help.80")
      try Self.expect(HelpPage.text(ToolCommand.named("submit"), screen), as: "help-submit.80")
    }
  }

  private static let list = """
    https://photos.example.org/hills.jpg\tRolling Hills
    https://photos.example.org/a/long/way/to/the/lake/in/the/mountains/of/the/north/lake.png\tLake
    https://b\u{FC}cher.example/regal.jpg\tRegal
    ftp://photos.example.org/barn.jpg\tThe barn behind the house of the miller

    """

  /// Names and keys with characters that are escaped: once in each line.
  private static let oddList = #"""
    {"Photos": {
      "a\u001bb\\c": "https://photos.example.org/a.jpg",
      "lake\u202e": {"URL": "https://photos.example.org/b.jpg", "Si\u202eze\\": 3},
      "100%25": "https://photos.example.org/100%25.jpg",
      "mill": {"URL": "https://photos.example.org/c.jpg", "Filter": "blur\u0007\\(3)"}
    }}

    """#

  @Test func `check escapes what a list has in it once`() async throws {
    let folder = try FreshFolder()
    try folder.write(Array(Self.oddList.utf8), to: "odd.json")
    try folder.write(Array("<plist><a\u{202E}\\></plist>".utf8), to: "odd.plist")
    let words = ["env", "-C", folder.path, "\(DaemonBench.programFolder)/darkroomctl", "check"]
    let seen = try await TerminalProgram.run(
      words + ["odd.json"], columns: 80, environment: ["NO_COLOR": "1"])
    try Self.expect(seen.text.replacing("\r\n", with: "\n"), as: "check-odd.80")
    var piped = ""
    for file in ["odd.json", "odd.plist"] {
      let end = try await RunningProgram.start(words + [file]).end()
      piped += text(end.output, end.errors)
    }
    try Self.expect(piped, as: "check-odd.pipe")
  }

  @Test func `the whole text of check is as expected`() async throws {
    let folder = try FreshFolder()
    try folder.write(Array(Self.list.utf8), to: "trip.txt")
    let words = ["env", "-C", folder.path, "\(DaemonBench.programFolder)/darkroomctl", "check"]
    let seen = try await TerminalProgram.run(
      words + ["trip.txt"], columns: 80, environment: ["NO_COLOR": "1"])
    try Self.expect(seen.text.replacing("\r\n", with: "\n"), as: "check.80")
    #expect(seen.code == 1 && seen.text.contains("xn--bcher-kva.example"))
    let piped = try await RunningProgram.start(words + ["trip.txt"]).end()
    try Self.expect(text(piped.output, piped.errors), as: "check.pipe")
  }
}
