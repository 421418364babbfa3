// SPDX-License-Identifier: Apache-2.0
// What the daemon does when a disk runs short of room.

import Chain
import Report
import Vocabulary

extension Darkroom {
  /// Downloads wait for room on a disk, or need not any more.
  func spaceChanged(_ failure: Failure?) {
    runner.suspendDownloads(failure != nil)
    if let failure {
      teller.tell(.machineTrouble(failure, waits: "downloads wait"))
    } else {
      teller.tell(.machineRecovered(code: "disk.low", resumes: "downloads go on"))
    }
    tellStatus()
  }
}
