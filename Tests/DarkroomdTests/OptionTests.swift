// SPDX-License-Identifier: Apache-2.0
// darkroomd's command line, exit codes and places, and the frozen settings of a list.

import Testing
import Vocabulary

@testable import darkroomd

@Suite struct OptionTests {
  private func options(_ change: (inout CommandLineOptions) -> Void) throws -> CommandLineOptions {
    var options = try CommandLineOptions([])
    change(&options)
    return options
  }

  @Test func `every option is read, in any order`() throws {
    #expect(try CommandLineOptions([]) == options { _ in })
    #expect(try CommandLineOptions(["--root", "/r"]) == options { $0.root = "/r" })
    #expect(try CommandLineOptions(["--config", "f"]) == options { $0.configuration = "f" })
    #expect(try CommandLineOptions(["--until-idle"]) == options { $0.untilIdle = true })
    #expect(try CommandLineOptions(["--level-prefixes"]) == options { $0.levelPrefixes = true })
    #expect(
      try CommandLineOptions(["--expire-at-once", "--root", "/r"])
        == options { ($0.root, $0.expiresAtOnce) = ("/r", true) })
    #expect(try CommandLineOptions(["--version"]) == options { $0.task = .version })
    #expect(try CommandLineOptions(["-h"]) == CommandLineOptions(["--help"]))
    let both = ["--reload", "--root", "/r"]
    #expect(try CommandLineOptions(both) == CommandLineOptions(["--root", "/r", "--reload"]))
    #expect(try CommandLineOptions(["--root", "--reload"]) == options { $0.root = "--reload" })
  }

  @Test(
    arguments: [
      (["--root"], "--root needs a value after it"),
      (["--root", ""], "--root needs a value after it"),
      // The unit of the service has no root.
      (["--leave-hooks", "--expire-at-once"], "--expire-at-once is for tests, and needs --root"),
      (["--config"], "--config needs a value after it"),
      (["--until-idel"], "unknown option '--until-idel' (did you mean '--until-idle'?)"),
      (["--relaod"], "unknown option '--relaod' (did you mean '--reload'?)"),
      (["--root=/r"], "unknown option '--root=/r'"), (["-x"], "unknown option '-x'"),
      (["list.plist"], "unknown option 'list.plist'"), ([""], "unknown option ''"),
      (["\u{1B}[2J"], "unknown option '\\x1b[2J'"),
    ])
  func `a wrong command line is explained in a sentence`(arguments: [String], words: String) {
    let problem = #expect(throws: TextProblem.self) {
      try CommandLineOptions(arguments)
    }
    #expect(problem?.description == words)
  }

  @Test func `the usage names every option`() {
    for option in [
      "--root", "--config", "--until-idle", "--level-prefixes", "--reload", "--help",
      "--version",
    ] { #expect(CommandLineOptions.usage.contains(option)) }
  }

  @Test func `the exit codes are those of sysexits, and no two are the same`() {
    let codes = [
      ExitCode.done, ExitCode.usage, ExitCode.io, ExitCode.busy, ExitCode.configuration,
    ]
    #expect(codes == [0, 64, 74, 75, 78])
  }

  @Test func `with --root every place lies below the root`() {
    for root in ["/srv/darkroom", "/"] {
      let places = Places.below(root)
      let prefix = root == "/" ? "/" : "\(root)/"
      for path in [
        places.inbox, places.done, places.failed, places.prints, places.state, places.control,
        places.configuration,
      ] {
        #expect(path.hasPrefix(prefix) && !path.contains("//"), "\(path)")
      }
    }
    #expect(Places.below("/r").configuration == "/r/darkroomd.conf")
    #expect(Places.system.control == "/run/darkroom/io.darkroom")
  }
}

@Suite struct FrozenSettingTests {
  @Test(arguments: ["", "Holiday", "a=b", "two\nlines", "[settings]", "Filter=sepia(0)", "Küche"])
  func `frozen settings are read as they were written`(title: String) throws {
    let prints = try #require(FileName("summer~17"))
    let frozen = FrozenSettings(prints: prints, filter: .sepia(thousandths: 123), title: title)
    let read = try FrozenSettings(text: frozen.text)
    #expect(read.prints == prints && read.filter == .sepia(thousandths: 123))
    #expect(read.title == title.split(whereSeparator: \.isNewline).joined(separator: " "))
    #expect(try FrozenSettings(text: read.text) == read)
  }

  @Test(
    arguments: [
      "", "Prints=a\n", "Filter=sepia(1)\n", "Prints=..\nFilter=sepia(1)\n",
      "Prints=a/b\nFilter=sepia(1)\n", "Prints=a\nFilter=blur(1)\n", "Prints=\nFilter=sepia(1)\n",
    ])
  func `frozen settings that the daemon never writes are refused`(text: String) {
    let failure = #expect(throws: Failure.self) { try FrozenSettings(text: text) }
    #expect(failure?.kind == .final && failure?.code == "list.about")
  }

  @Test func `lines of a later version are ignored`() throws {
    let text = "Prints=a\nFuture=yes\nno equals sign\nFilter=sepia(1)\nTitle=t\n"
    #expect(try FrozenSettings(text: text).title == "t")
  }

  @Test func `run takes a list, a folder of prints, and perhaps a range`() throws {
    let words = ["run", "--list", "a/summer.plist", "--prints", "p"]
    let order = PartOrder(list: "a/summer.plist", prints: "p")
    let plain = try CommandLineOptions(words)
    #expect(plain.task == .part(order) && plain.untilIdle && plain.leavesHooks)
    let all = try CommandLineOptions(
      words + ["--range", "3-7,9", "--state", "s", "--results", "r", "--config", "f"])
    #expect(all.configuration == "f" && all.part?.range?.text == "3-7,9")
    #expect(all.part?.state == "s" && all.part?.results == "r")
    #expect(try CommandLineOptions(["run", "--help"]).task == .partHelp)
  }

  @Test(
    "a wrong run is refused with what is wrong",
    arguments: [
      (["run"], "run needs --list"), (["run", "--list", "l"], "run needs --prints"),
      (["run", "--range", "0-3"], "--range 0-3 is not a range of photos"),
      (["run", "--range", "7-3"], "--range 7-3 is not a range of photos"),
      (["run", "--range", "x"], "--range x is not a range of photos"),
      (["run", "--rang", "1"], "did you mean '--range'?"), (["run", "--root", "r"], "'--root'"),
      (["run", "--list"], "--list needs a value"),
    ])
  func wrongRun(words: [String], problem: String) throws {
    do throws(TextProblem) {
      _ = try CommandLineOptions(words)
      Issue.record("\(words) was taken")
    } catch { #expect(error.description.contains(problem), "\(error)") }
  }
}
