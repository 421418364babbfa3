// SPDX-License-Identifier: Apache-2.0
// darkroomd: reads the command line, starts, and exits with a code from `ExitCode`. Writes each error to
// standard error.

import Linux
import Steer
import Vocabulary

func say(_ words: String) { try? StandardStream.error.write(Array("darkroomd: \(words)\n".utf8)) }

if CommandLine.arguments.isEmpty {
  // The runtime could not read them. Without its options the daemon would be another one.
  say("the command line could not be read")
  ThisProcess.exit(ExitCode.io)
}

let options: CommandLineOptions
do {
  options = try CommandLineOptions(CommandLine.arguments.dropFirst())
} catch {
  let isPart = CommandLine.arguments.dropFirst().first == "run"
  say("\(error)\n\(isPart ? PartOrder.usage : CommandLineOptions.usage)")
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
    say(error.words)
    ThisProcess.exit(error.code)
  }
case .run, .part, .runHooks:
  do throws(StartFailure) {
    ThisProcess.exit(
      try options.task == .runHooks ? HookService.run(options) : Startup.run(options))
  } catch {
    say(error.words)
    ThisProcess.exit(error.code)
  }
}
