// SPDX-License-Identifier: Apache-2.0
// The version, in one place for the daemon, the tool and what they tell of themselves.

package enum Release {
  package static let version = "0.1.0"
}
