// SPDX-License-Identifier: Apache-2.0
// How long a test waits for what must come before it says that it does not. Hundreds of tests share few
// threads, so each may be kept from going on for a minute; only what fails takes as long as this.

package enum Patience {
  package static let seconds = 180
  package static let time = Duration.seconds(seconds)
}
