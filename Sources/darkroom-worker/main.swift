// SPDX-License-Identifier: Apache-2.0
// The worker: a sandboxed process started by darkroomd or darkroomctl, which ends when its socket is closed.
// `WorkerLoop` has the code; this file passes it the functions that read lists and develop pictures.

import Catalog
import Filter
import Linux
import Vocabulary
import Worker

let code = WorkerLoop.run(
  words: Array(CommandLine.arguments.dropFirst()),
  readList: { list, catalog, limits throws(Failure) in
    try ListReader.read(list: list, catalog: catalog, limits: limits)
  },
  develop: { original, print, thumbnail, order throws(Failure) in
    try PictureFilter.develop(
      original: original, print: print, function: order.filter, quality: order.quality.level,
      metadata: order.metadata,
      limits: PictureLimits(
        maximumPixels: order.maximumPixels, maximumMemory: order.maximumMemory),
      thumbnail: thumbnail)
  })
if code == WorkerLoop.exitUsage { print("darkroom-worker is started by darkroomd, not by hand") }
ThisProcess.end(with: code)
