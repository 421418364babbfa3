// SPDX-License-Identifier: Apache-2.0
// Two names that change places in one step, as renameat2 does it.

internal import CSamples

package enum NameExchange {
  package static func swap(_ one: String, _ other: String) -> Bool {
    unsafe sample_exchange(one, other) == 0
  }
}
