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

  private static let commands: [(name: String, command: ToolCommand)] = {
    let summer = ListReference("summer")
    return [
      ("brief", .brief), ("status", .status), ("list", .list(ListFilter())),
      ("list-state", .list(ListFilter(states: [.finished, .cancelled], user: "anna"))),
      ("inbox", .inbox), ("show", .show(summer, state: nil)),
      ("show-failed", .show(summer, state: .failed)),
      ("wait", .wait([summer, ListReference("winter")], timeout: nil)),
      ("pause", .pause(summer)), ("cancel", .cancel(ListReference("sumer"))),
      ("remove", .remove(ListReference("winter"))), ("sheet", .sheet(ListReference("winter"))),
      ("open", .open(OpenTask(list: summer, address: "https://photos.example.org/"))),
      ("retry", .retry(RetryOrder(list: summer))),
      ("flush", .flush(host: nil)), ("nodes", .nodes),
      ("drain", .drain(DrainTask(DrainOrder(node: "beta")))),
      ("reload", .reload),
      ("watch", .watch(nil)), ("cache", .cache(clear: false)), ("config", .config),
      ("metrics", .metrics),
      ("check-status", .health),
    ]
  }()

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
    let (name, command) = Self.commands[place]
    let folder = try FreshFolder.forSockets()
    let socket = "\(folder.path)/control"
    let server = try RunningServer(
      path: socket, handler: ScreenDaemon(), clock: try SystemClock())
    for form in Form.allCases {
      let words = SpokenWords()
      let order = ToolOrder(command, socket: socket, isPlain: form == .plain)
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
    for command in [nil] + CommandName.allCases.map(Optional.some) {
      let text = HelpPage.text(command, screen)
      #expect(text.split(separator: "\n").allSatisfy { $0.count <= columns }, "\(text)")
      let words = text.split(whereSeparator: \.isWhitespace)
      #expect(words == HelpText.text(command).split(whereSeparator: \.isWhitespace))
    }
    if columns == 80 {
      try Self.expect(HelpPage.text(nil, screen), as: "help.80")
      try Self.expect(HelpPage.text(.submit, screen), as: "help-submit.80")
    }
  }

  private static let list = """
    https://photos.example.org/hills.jpg\tRolling Hills
    https://photos.example.org/a/long/way/to/the/lake/in/the/mountains/of/the/north/lake.png\tLake
    https://b\u{FC}cher.example/regal.jpg\tRegal
    ftp://photos.example.org/barn.jpg\tThe barn behind the house of the miller

    """

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
