// SPDX-License-Identifier: Apache-2.0
// Swaps two names in one step, as renameat2 does.

internal import CSamples

package enum NameExchange {
  package static func swap(_ one: String, _ other: String) -> Bool {
    unsafe sample_exchange(one, other) == 0
  }
}
