// SPDX-License-Identifier: Apache-2.0
// The workers that `develop` and `check` use without the daemon, and the reading of what they wrote.
// Raises `worker.missing` where there is none.

internal import Vocabulary

enum LocalWorkers {
  static func make() throws(Failure) -> any Workers { throw missing }

  static func open(_ catalog: any OpenFile, _ limits: ListLimits) throws(Failure) -> CheckedList {
    throw missing
  }

  private static let missing = Failure(
    .machine, code: "worker.missing", reason: "this build has no worker for local files",
    advice: "install darkroom with its darkroom-worker")
}
