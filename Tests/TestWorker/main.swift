// SPDX-License-Identifier: Apache-2.0
// A worker that misbehaves on command: the text of the original is the command. It runs in the same
// sandbox as the real one. As `darkroom-test-worker check` it runs a pool itself, alone in its process,
// and counts the leftovers.

import Linux
import Vocabulary
import Worker

if CommandLine.arguments.dropFirst().first == "check" {
  ThisProcess.end(with: await LeftoverCheck.run())
}
ThisProcess.end(
  with: WorkerLoop.run(
    words: Array(CommandLine.arguments.dropFirst()),
    readList: { list, catalog, limits throws(Failure) in
      try Misdeeds.readList(list, catalog, limits).get()
    },
    develop: { original, print, _, order throws(Failure) in
      if let developed = try LaterDeeds.develop(original, print) { return developed }
      return try Misdeeds.develop(original, print, order).get()
    }))
