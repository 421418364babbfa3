// SPDX-License-Identifier: Apache-2.0
// The command line of `darkroomd run`, and its help text. A value. Raises `TextProblem`.

import Vocabulary

struct PartOrder: Equatable, Sendable {
  var list = ""
  /// Numbers of photos in the list; nil for all.
  var range: NumberRanges?
  var prints = ""
  var state: String?
  var results: String?

  static let usage = """
    usage: darkroomd run --list FILE --prints DIR [--range RANGES] [--state DIR] [--results FILE]
                         [--config FILE] [--level-prefixes]

    Develop the photos of one list, or a part of them, without a daemon, and exit.
      --list FILE        the photo list
      --prints DIR       the folder of prints; the prints go to DIR/NAME of the list
      --range RANGES     only these photos: numbers from 1 and ranges, such as 1-1000 or 1-9,20
      --state DIR        keep the record and unfinished work in DIR instead of
                         PRINTS/.darkroom/NAME/RANGES; a later run with it continues
      --results FILE     write the results to FILE instead of results.jsonl in the folder of
                         the state
      --config FILE      read FILE and FILE.d/*.conf instead of /etc/darkroom/darkroomd.conf
      --level-prefixes   begin each line on stderr with its <priority>
      -h, --help         show this text
    The exit status tells how it went. See RUNNING A PART OF A LIST in darkroomd(8).
    """

  private static let known = [
    "--list", "--prints", "--range", "--state", "--results", "--config", "--level-prefixes",
    "--help",
  ]

  /// Reads the words after `run` into the options.
  static func read(
    _ rest: inout ArraySlice<String>, into options: inout CommandLineOptions
  ) throws(TextProblem) {
    var order = PartOrder()
    while let argument = rest.popFirst() {
      func value() throws(TextProblem) -> String {
        try CommandLineOptions.value(of: argument, &rest)
      }
      switch argument {
      case "--list": order.list = try value()
      case "--prints": order.prints = try value()
      case "--range": order.range = try range(try value())
      case "--state": order.state = try value()
      case "--results": order.results = try value()
      case "--config": options.configuration = try value()
      case "--level-prefixes": options.levelPrefixes = true
      case "--help", "-h": return options.task = .partHelp
      default: throw .unknownOption(argument, among: known)
      }
    }
    for (option, text) in [("--list", order.list), ("--prints", order.prints)] where text.isEmpty {
      throw TextProblem("run needs \(option)")
    }
    options.task = .part(order)
    // It ends with its list, and the end of a part is not the end of the list.
    (options.untilIdle, options.leavesHooks) = (true, true)
  }

  private static func range(_ text: String) throws(TextProblem) -> NumberRanges {
    guard let range = NumberRanges(text: text), range.first >= 1 else {
      throw TextProblem(
        "--range \(Printable.text(text)) is not a range of photos: write numbers from 1 "
          + "and ranges in ascending order, such as 1-1000 or 1-9,20; at most \(NumberRanges.most)")
    }
    return range
  }

  /// The failure of a list that ends before the part begins.
  static func empty(_ range: NumberRanges, _ photos: UInt32) -> Failure {
    Failure(
      .final, code: "list.range",
      reason: "the list has \(photos) photos, and none in the range \(range.text)",
      advice: "Choose a range that begins in the list")
  }
}
