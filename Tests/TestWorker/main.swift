// SPDX-License-Identifier: Apache-2.0
// A worker that misbehaves when told to: the original's text is the command. It lives in the same sandbox
// as the real one. Called as `darkroom-test-worker check`, it works a pool itself, alone in its
// process, and counts what is left over.

import Linux
import Worker

if CommandLine.arguments.dropFirst().first == "check" {
  ThisProcess.end(with: await LeftoverCheck.run())
}
ThisProcess.end(
  with: WorkerLoop.run(
    words: Array(CommandLine.arguments.dropFirst()), readList: Misdeeds.readList,
    develop: Misdeeds.develop))
