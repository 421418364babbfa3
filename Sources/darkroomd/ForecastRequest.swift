// SPDX-License-Identifier: Apache-2.0
// For `darkroomd --check`: asks the running daemon which prints and lists the new settings would remove. Raises
// nothing: if the daemon does not answer the caller, the check does without the notes.

import Linux
import Steer
import Vocabulary

enum ForecastRequest {
  static func notes(_ socket: String, _ record: Settings.Record) -> [String] {
    let order = ForecastOrder(keepLists: record.keepLists, keepPrints: record.keepPrints)
    do throws(ControlFailure) {
      return try ControlClient(path: socket, clock: MachineTime()).call(order).notes
    } catch {
      guard case .notRunning = error, record.keepPrints != nil else { return [] }
      return [
        "darkroomd is not running, so it cannot tell which prints KeepPrints= removes; it removes none in the first hour after a start"
      ]
    }
  }
}
