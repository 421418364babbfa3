// SPDX-License-Identifier: Apache-2.0
// darkroomd: reads the command line, starts, and exits with a code from `ExitCode`. Writes each error to
// standard error.

import Linux
import Report
import Steer
import Vocabulary

func say(_ words: String) { write("darkroomd: \(words)\n") }

/// The same for the reason of an end: journald, or a supervisor that reads priorities, takes it for an error.
func complain(_ words: String) {
  let style = ReportSink.lineStyle(
    environment: Surroundings.environment(),
    asked: CommandLine.arguments.contains("--level-prefixes") ? .prefixed : nil)
  write((style == .prefixed ? "<\(Priority.error.rawValue)>" : "") + "darkroomd: \(words)\n")
}

private func write(_ text: String) { try? StandardStream.error.write(Array(text.utf8)) }

if CommandLine.arguments.isEmpty {
  // The runtime could not read them. Without its options the daemon would be another one.
  complain("the command line could not be read")
  ThisProcess.exit(ExitCode.io)
}

let options: CommandLineOptions
do {
  options = try CommandLineOptions(CommandLine.arguments.dropFirst())
} catch {
  let isPart = CommandLine.arguments.dropFirst().first == "run"
  complain("\(error)\n\(isPart ? PartOrder.usage : CommandLineOptions.usage)")
  ThisProcess.exit(ExitCode.usage)
}

switch options.task {
case .help:
  print(CommandLineOptions.usage)
case .partHelp:
  print(PartOrder.usage)
case .version:
  print("darkroomd \(Release.version)")
case .reload:
  ThisProcess.exit(ReloadRequest.send(options))
case .check:
  do throws(StartFailure) {
    try SettingsCheck.run(options)
  } catch {
    complain(error.words)
    ThisProcess.exit(error.code)
  }
case .run, .part, .runHooks:
  do throws(StartFailure) {
    ThisProcess.exit(
      try options.task == .runHooks ? HookService.run(options) : Startup.run(options))
  } catch {
    complain(error.words)
    ThisProcess.exit(error.code)
  }
}
