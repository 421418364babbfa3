// SPDX-License-Identifier: Apache-2.0
// Takes the next photo of lists with `total` photos each, and answers every question before it.

import Vocabulary

@testable import Chain

extension Admission {
  mutating func take(
    now: Duration, total: UInt32, prospect: (PhotoID) -> Prospect
  ) -> Admitted? {
    while let step = next(now: now) {
      switch step {
      case .seek(let list, let after): sought(list, after < total ? after + 1 : nil)
      case .ask(let photo): learn(photo, prospect(photo))
      case .give(let admitted): return admitted
      }
    }
    return nil
  }
}
