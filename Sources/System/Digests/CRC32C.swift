// SPDX-License-Identifier: Apache-2.0
// CRC-32C, the checksum of journal records.

internal import CDigests

package enum CRC32C {
  /// Continues from `seed`, the checksum of the bytes before.
  package static func checksum(_ bytes: some Collection<UInt8>, seed: UInt32 = 0) -> UInt32 {
    let result = bytes.withContiguousStorageIfAvailable { buffer in
      unsafe dr_crc32c(seed, buffer.baseAddress, UInt64(buffer.count))
    }
    if let result { return result }
    return checksum(Array(bytes), seed: seed)
  }

  /// For tests: runs the portable code on any processor.
  package static func usePortableCode(_ forced: Bool) { dr_digests_portable(forced ? 1 : 0) }
}
