// SPDX-License-Identifier: Apache-2.0
// Adds right checksums to lines of the journal file that a test writes by hand.

import Digests

enum Checked {
  static func hex(_ checksum: UInt32) -> String {
    let hex = String(checksum, radix: 16)
    return String(repeating: "0", count: 8 - hex.count) + hex
  }

  static func line(_ text: String, seed: UInt32) -> [UInt8] {
    Array("\(hex(CRC32C.checksum(Array(text.utf8), seed: seed))) \(text)\n".utf8)
  }

  static func ending(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    let bytes = Array(bytes)
    return bytes + Array(" crc=\(hex(CRC32C.checksum(bytes)))\n".utf8)
  }
}
