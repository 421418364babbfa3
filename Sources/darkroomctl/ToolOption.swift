// SPDX-License-Identifier: Apache-2.0
// The options, which of them take a value, and the commands they belong to.

enum ToolOption: String, CaseIterable, Sendable {
  case root = "--root"
  case socket = "--socket"
  case json = "--json"
  case plain = "--plain"
  case noPager = "--no-pager"
  case help = "--help"
  case version = "--version"
  case check = "--check"
  case state = "--state"
  case user = "--user"
  case all = "--all"
  case timeout = "--timeout"
  case output = "--output"
  case filter = "--filter"
  case quality = "--quality"
  case metadata = "--metadata"
  case notify = "--notify"
  case force = "--force"
  case jobs = "--jobs"
  case name = "--name"
  case wait = "--wait"
  case lease = "--for"
  case follow = "--follow"
  case lines = "--lines"
  case explain = "--explain"
  case serviceClass = "--quality-of-service"
  case isPrivate = "--private"
  case address = "--address"
  case off = "--off"
  case now = "--now"

  /// `-f` has another meaning for `log`.
  init?(written name: String, for command: CommandName? = nil) {
    switch name {
    case "-f" where command == .log: self = .follow
    case "-n": self = .lines
    case "-x": self = .explain
    case "-h": self = .help
    case "-o": self = .output
    case "-f": self = .force
    case "-j": self = .jobs
    default: self.init(rawValue: name)
    }
  }

  var takesValue: Bool {
    switch self {
    case .root, .socket, .state, .user, .timeout, .output, .filter, .quality, .metadata, .jobs,
      .name, .notify, .serviceClass, .lease, .lines, .address:
      true
    case .json, .plain, .noPager, .help, .version, .force, .wait, .check, .all, .isPrivate, .follow,
      .explain, .off, .now:
      false
    }
  }

  func belongs(to command: CommandName) -> Bool {
    switch self {
    case .root, .socket, .json, .plain, .noPager, .help, .version: true
    case .check: command == .status
    case .state: command == .show || command == .list
    case .user: [.list, .pause, .resume, .cancel].contains(command)
    case .all: command == .pause || command == .resume
    case .timeout: command == .wait || command == .submit
    case .filter, .quality, .metadata: command == .develop || command == .submit
    case .lease: command == .focus
    case .address: command == .open
    case .output, .force, .jobs: command == .develop
    case .follow, .lines, .explain: command == .log
    case .wait: command == .submit || command == .drain
    case .off, .now: command == .drain
    case .name, .notify, .serviceClass, .isPrivate: command == .submit
    }
  }
}
