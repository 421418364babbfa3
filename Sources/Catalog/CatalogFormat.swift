// SPDX-License-Identifier: Apache-2.0
// The constants and the size limits of a catalog, as described in Catalog-format.md.

internal import Vocabulary

enum CatalogFormat {
  static let version: UInt8 = 1
  static let head = Array("drcatlg".utf8) + [version]
  static let tail = Array("drcatend".utf8)
  static let footerSize: UInt64 = 32
  static let indexRowSize: UInt64 = 12
  /// Photos that share one row of the index.
  static let blockPhotos: UInt32 = 16
  /// The limit of a problem's text in bytes; the writer cuts it.
  static let longestProblem = 1024
  /// The limit of a photo's own filter, quality or metadata rule in bytes.
  static let longestWord = 64
  /// The limit of all options together in bytes.
  static let longestOptions: UInt64 = 64 << 10
  /// A reader must refuse an unknown tag from this one on.
  static let firstNeededTag: UInt8 = 128

  enum PhotoTag {
    static let name: UInt8 = 1
    static let url: UInt8 = 2
    static let problem: UInt8 = 3
    static let line: UInt8 = 4
    static let byte: UInt8 = 5
    static let serviceClass: UInt8 = 6
    static let column: UInt8 = 7
    static let checksum: UInt8 = 128
    static let filter: UInt8 = 129
    static let quality: UInt8 = 130
    static let metadata: UInt8 = 131
  }

  enum OptionTag {
    static let title: UInt8 = 1
    static let serviceClass: UInt8 = 2
    static let filter: UInt8 = 3
    static let quality: UInt8 = 4
    static let metadata: UInt8 = 5
    static let classSpan: UInt8 = 6
    static let notify: UInt8 = 7
    static let contactSheet: UInt8 = 8
    static let isPrivate: UInt8 = 128
  }

  /// The largest size of a block. The last summand includes fields that later versions add.
  static func longestBlock(_ limits: ListLimits) -> UInt64 {
    let entry = UInt64(limits.keyBytes) + UInt64(limits.valueBytes) + UInt64(longestProblem) + 4096
    return entry * UInt64(blockPhotos)
  }
}

extension [UInt8] {
  /// Seven bits per byte, the lowest first; the top bit is set in all bytes but the last.
  mutating func append(varint value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  static func size(ofVarint value: UInt64) -> Int {
    (Swift.max(1, UInt64.bitWidth - value.leadingZeroBitCount) + 6) / 7
  }

  static func size(ofField count: Int) -> Int { 1 + size(ofVarint: UInt64(count)) + count }

  mutating func append(field tag: UInt8, _ bytes: some Collection<UInt8>) {
    append(tag)
    append(varint: UInt64(bytes.count))
    append(contentsOf: bytes)
  }

  /// Little-endian.
  mutating func append(fixed value: some FixedWidthInteger) {
    for shift in stride(from: 0, to: value.bitWidth, by: 8) {
      append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }
}
