// SPDX-License-Identifier: Apache-2.0
// An open descriptor: cannot be copied, closes itself once.

internal import CLinux

package struct Descriptor: ~Copyable, Sendable {
  package let number: Int32

  /// Takes over a number that nobody else closes.
  package init(owning number: Int32) { self.number = number }

  deinit { _ = dr_close(number) }

  /// Hands the number on; whoever takes it closes it.
  package consuming func release() -> Int32 {
    let number = self.number
    discard self
    return number
  }
}
