// SPDX-License-Identifier: Apache-2.0
// What new memory of this process holds: two runs over memory that is filled differently give the same result, unless
// the result depends on bytes that were never written. AddressSanitizer has a heap of its own, with one filling.

internal import CSamples

package enum HeapFill {
  /// For large pieces of the process, and for the next small ones of this thread from their 17th byte on; 0 leaves new
  /// memory as it is.
  package static func set(_ byte: UInt8) { sample_fill_heap(byte) }
}
