// SPDX-License-Identifier: Apache-2.0
// The next photo of lists that have so many, whatever has to be said of others before.

import Vocabulary

@testable import Chain

extension Admission {
  mutating func take(
    now: Duration, total: UInt32, prospect: (PhotoID) -> Prospect
  ) -> Admitted? {
    while let step = next(now: now, after: { _, after in after < total ? after + 1 : nil }) {
      switch step {
      case .ask(let photo): learn(photo, prospect(photo))
      case .give(let admitted): return admitted
      }
    }
    return nil
  }
}
