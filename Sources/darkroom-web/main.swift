// SPDX-License-Identifier: Apache-2.0
// darkroom-web: reads the command line, serves, and ends when no client has been there for a while. Writes each
// error to standard error. Exits with 0, 64 (usage) or 74 (no socket), as darkroomd does.
//
// The walk: a page. `darkroom-web` joins `Show` with the edge (System/HTTP, over libmicrohttpd) and is a client of
// the control socket. A separate thread serves each connection, so the code has no tasks.
// - `RequestJudge` decides about the form of a request, `PageCalls` in the daemon about its view; `ViewBook` keeps
//   the views, by the secrets in the addresses of pages. `WebPlaces` decides which connections stay.
// - `EventStream` makes frames of `Follow`. Pictures come from the daemon as open files, beside the replies to
//   `Picture`.
// - `PageScript` keeps a byte for each photo and a pool of tiles; WebTests limit its size, and BrowserTests its
//   elements and its memory. It draws the overview from these bytes, and from the colours that the daemon reads
//   from the rows of a few photos of each group (`Colours`).

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
