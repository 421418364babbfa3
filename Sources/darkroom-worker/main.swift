// SPDX-License-Identifier: Apache-2.0
// The worker: a sandboxed process started by darkroomd or darkroomctl, which ends when its socket is closed.
// `WorkerLoop` has the code; this file passes it the functions that read lists and develop pictures.

import Linux
import Vocabulary
import Worker

let code = WorkerLoop.run(
  words: Array(CommandLine.arguments.dropFirst()),
  readList: { list, catalog, limits in readList(list, into: catalog, limits) },
  develop: { original, print, order in develop(original, into: print, order) })
if code == WorkerLoop.exitUsage { print("darkroom-worker is started by darkroomd, not by hand") }
ThisProcess.end(with: code)
