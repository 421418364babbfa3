// SPDX-License-Identifier: Apache-2.0
// The version that the daemon and the tool report.

package enum Release {
  package static let version = "0.1.0"
}
