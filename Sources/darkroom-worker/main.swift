// SPDX-License-Identifier: Apache-2.0
// The worker: started by darkroomd for one list, shut in, ended when the daemon closes its socket.
// Everything it does is in `WorkerLoop`; this file says who reads lists and who develops.

import Linux
import Vocabulary
import Worker

let code = WorkerLoop.run(
  words: Array(CommandLine.arguments.dropFirst()),
  readList: { list, catalog, limits in readList(list, into: catalog, limits) },
  develop: { original, print, order in develop(original, into: print, order) })
if code == WorkerLoop.exitUsage { print("darkroom-worker is started by darkroomd, not by hand") }
ThisProcess.end(with: code)
