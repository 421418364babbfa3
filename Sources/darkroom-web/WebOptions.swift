// SPDX-License-Identifier: Apache-2.0
// The command line of darkroom-web and its help text. A value. Raises `TextProblem`, a sentence for standard error.

import Steer
import Vocabulary

struct WebOptions: Equatable {
  enum Task: Equatable { case run, help, version }

  var task = Task.run
  var socket = DaemonPlace.systemSocket
  /// Other hosts than this machine, as a proxy passes them on.
  var hosts: [String] = []
  /// How long it stays without a client; nil for the usual time.
  var idleSeconds: Int64?

  static let usage = """
    usage: darkroom-web [--root DIR | --socket PATH] [--host NAME[:PORT]]... [--idle SECONDS]
           darkroom-web --help | --version

    Show the lists of darkroomd in a browser: on the listening socket that the service manager
    has passed, otherwise on a free port of this machine, whose address it prints. It ends when
    no browser has been connected for five minutes. 'darkroomctl open LIST' starts it.
      --root DIR      use the darkroomd that was started with this --root
      --socket PATH   use this control socket
      --host NAME     serve requests for this host as well, for a proxy in front of it
      --idle SECONDS  stay for this time without a client, 1 to 86400
      -h, --help      show this text
      --version       print the version
    See darkroom-web(8).
    """

  init(_ arguments: some Sequence<String>) throws(TextProblem) {
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--root":
        let root = try Self.value(of: argument, &rest)
        socket = (root.hasSuffix("/") ? String(root.dropLast()) : root) + "/control"
      case "--socket": socket = try Self.value(of: argument, &rest)
      case "--host": hosts.append(try Self.value(of: argument, &rest))
      case "--idle":
        let text = try Self.value(of: argument, &rest)
        guard let seconds = Int64(text), 1...86_400 ~= seconds else {
          throw TextProblem("'\(Printable.text(text))' is not a number from 1 to 86400")
        }
        idleSeconds = seconds
      case "--help", "-h": task = .help
      case "--version": task = .version
      default:
        let known = ["--root", "--socket", "--host", "--idle", "--help", "--version"]
        throw .unknownOption(argument, among: known)
      }
    }
  }

  private static func value(of option: String, _ rest: inout ArraySlice<String>) throws(TextProblem)
    -> String
  {
    guard let value = rest.popFirst(), !value.isEmpty else {
      throw TextProblem("\(option) needs a value after it")
    }
    return value
  }
}
