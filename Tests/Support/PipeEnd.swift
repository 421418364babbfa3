// SPDX-License-Identifier: Apache-2.0
// Reads the output of another program as it arrives. Foundation's `availableData` ends the whole test
// run if a signal interrupts it.

import Foundation
import Glibc

extension FileHandle {
  /// Waits for bytes; empty at the end.
  package func readSome() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = unsafe Glibc.read(fileDescriptor, &bytes, bytes.count)
      if count >= 0 { return Array(bytes.prefix(count)) }
      if errno != EINTR { return [] }
    }
  }
}
