// SPDX-License-Identifier: Apache-2.0
// What new memory of this process holds: two runs over memory that is filled differently give the same result, unless
// the result depends on bytes that were never written. AddressSanitizer has a heap of its own, with one filling.

internal import CSamples

package enum HeapFill {
  /// Fills the next pieces that this thread takes; 0 leaves new memory as it is.
  package static func set(_ byte: UInt8) { sample_fill_heap(byte) }
}
