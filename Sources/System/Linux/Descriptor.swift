// SPDX-License-Identifier: Apache-2.0
// An open descriptor: it cannot be copied and closes itself once.

internal import CLinux

package struct Descriptor: ~Copyable, Sendable {
  package let number: Int32

  /// Takes ownership of a number, which no other code may close.
  package init(owning number: Int32) { self.number = number }

  deinit { _ = dr_close(number) }

  /// Gives up ownership; the caller closes the number.
  package consuming func release() -> Int32 {
    let number = self.number
    discard self
    return number
  }
}
