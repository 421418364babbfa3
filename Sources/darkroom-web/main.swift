// SPDX-License-Identifier: Apache-2.0
// darkroom-web: reads the command line, serves, and ends when no client has been there for a while. Writes each
// error to standard error. Exits with 0, 64 (usage) or 74 (no socket), as darkroomd does.

import HTTP
import Linux
import Show
import Steer
import Systemd
import Vocabulary

func say(_ words: String) {
  try? StandardStream.error.write(Array("darkroom-web: \(words)\n".utf8))
}

let options: WebOptions
do {
  options = try WebOptions(CommandLine.arguments.dropFirst())
} catch {
  say("\(error)\n\(WebOptions.usage)")
  ThisProcess.exit(64)
}

switch options.task {
case .help: print(WebOptions.usage)
case .version: print("darkroom-web \(Release.version)")
case .run:
  do throws(SystemError) {
    try WebLife.run(options)
    // The listening socket may be the service manager's: nothing shuts it down.
    ThisProcess.exit(0)
  } catch {
    say("could not serve: \(error)")
    ThisProcess.exit(74)
  }
}
