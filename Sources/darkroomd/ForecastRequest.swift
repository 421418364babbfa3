// SPDX-License-Identifier: Apache-2.0
// Asks the running daemon which prints and lists settings would remove that are not in force yet, for `darkroomd --check`. Raises nothing:
// a daemon that does not tell the caller is left alone.

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
