// SPDX-License-Identifier: Apache-2.0
// The numbers in the environment with which `make simulate` makes tests longer, or replays a seed.

import Foundation

package enum LongForm {
  /// Nil if it is not set, as in `make test`.
  package static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }
}
