// SPDX-License-Identifier: Apache-2.0
// Catalogs as a worker could write them that means harm: with checksums that fit.

import Digests

enum ForgedCatalog {
  /// The checksums of footer and blocks made right, as far as the offsets in the bytes allow it.
  static func sealed(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    let footer = bytes.count - 32
    let options = number(bytes, footer)
    let index = number(bytes, footer + 8)
    var row = index
    while row >= 8, row + 12 <= footer {
      let start = number(bytes, row)
      let end = row + 24 <= footer ? number(bytes, row + 12) : options
      if start >= 8, start < end, end <= footer {
        put(CRC32C.checksum(bytes[start..<end]), at: row + 8, &bytes)
      }
      row += 12
    }
    if options >= 8, options <= footer {
      put(CRC32C.checksum(bytes[options..<(footer + 20)]), at: footer + 20, &bytes)
    }
    return bytes
  }

  /// An offset; -1 if it is out of all bounds.
  private static func number(_ bytes: [UInt8], _ place: Int) -> Int {
    Int(
      exactly: bytes[place..<(place + 8)].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
      ?? -1
  }

  private static func put(_ crc: UInt32, at place: Int, _ bytes: inout [UInt8]) {
    for shift in 0..<4 { bytes[place + shift] = UInt8(truncatingIfNeeded: crc >> (shift * 8)) }
  }
}
