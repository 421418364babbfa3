// SPDX-License-Identifier: Apache-2.0
// The command line of darkroomd and its help text. A value. Raises `TextProblem`, a sentence for standard error.

import Vocabulary

struct CommandLineOptions: Equatable {
  enum Task: Equatable {
    case run, runHooks, reload, check, help, version
    /// `darkroomd run`.
    case part(PartOrder), partHelp
  }

  var task = Task.run
  var root: String?
  var configuration: String?
  var untilIdle = false
  /// Begins each line on stderr with `<N>`, for a supervisor that reads priorities.
  var levelPrefixes = false
  /// Another process runs the hooks; see `HookService`.
  var leavesHooks = false
  /// For tests.
  var expiresAtOnce = false

  static let usage = """
    usage: darkroomd [--root DIR] [--config FILE] [--until-idle] [--leave-hooks]
                     [--level-prefixes] [--expire-at-once]
           darkroomd run OPTION...
           darkroomd --run-hooks [--root DIR] [--config FILE] [--level-prefixes]
           darkroomd --reload [--root DIR]
           darkroomd --check [--root DIR] [--config FILE]
           darkroomd --help | --version

    Process photo lists dropped into the inbox, in the foreground, until SIGTERM or SIGINT.
      run                develop one list, or a part of it, without a daemon; see darkroomd run --help
      --root DIR         keep everything below DIR: inbox, done, failed, prints, state, control
      --config FILE      read FILE and FILE.d/*.conf instead of /etc/darkroom/darkroomd.conf or
                         DIR/darkroomd.conf
      --until-idle       exit when no file waits in the inbox and every list is finished, cancelled
                         or paused; the exit status tells how it went
      --leave-hooks      only order hooks; darkroomd --run-hooks runs them
      --level-prefixes   begin each line on stderr with its <priority>
      --expire-at-once   for tests, and only with --root: remove what KeepLists= and KeepPrints=
                         have made old without the hour of grace, and prints without their
                         day of rest
      --run-hooks        run the hooks that are ordered, and exit; fail if another darkroomd
                         runs them already
      --reload           make the running darkroomd read its settings again; fail if they are bad
      --check            check the settings as a start would, and exit; fail if they are bad
      -h, --help         show this text
      --version          print the version
    See darkroomd(8).
    """

  init(_ arguments: some Sequence<String>) throws(TextProblem) {
    var rest = Array(arguments)[...]
    if rest.first == "run" {
      rest.removeFirst()
      try PartOrder.read(&rest, into: &self)
      return
    }
    while let argument = rest.popFirst() {
      switch argument {
      case "--root": root = try Self.value(of: argument, &rest)
      case "--config": configuration = try Self.value(of: argument, &rest)
      case "--until-idle": untilIdle = true
      case "--leave-hooks": leavesHooks = true
      case "--level-prefixes": levelPrefixes = true
      case "--expire-at-once": expiresAtOnce = true
      case "--run-hooks": task = .runHooks
      case "--reload": task = .reload
      case "--check": task = .check
      case "--help", "-h": task = .help
      case "--version": task = .version
      default:
        let known = [
          "--root", "--config", "--until-idle", "--leave-hooks", "--level-prefixes",
          "--expire-at-once", "--run-hooks", "--reload", "--check", "--help", "--version",
        ]
        throw .unknownOption(argument, among: known)
      }
    }
    // The unit of the machine has no root: no drop-in of it ends the grace.
    if expiresAtOnce, root == nil {
      throw TextProblem("--expire-at-once is for tests, and needs --root")
    }
  }

  /// The task of `darkroomd run`; nil for a daemon.
  var part: PartOrder? { if case .part(let order) = task { order } else { nil } }

  static func value(of option: String, _ rest: inout ArraySlice<String>) throws(TextProblem)
    -> String
  {
    guard let value = rest.popFirst(), !value.isEmpty else {
      throw TextProblem("\(option) needs a value after it")
    }
    return value
  }
}
