// SPDX-License-Identifier: Apache-2.0
// The channels of a band as numbers.

import Vocabulary

@testable import Codecs

extension PixelRows {
  /// The channels of all rows, one after another.
  var channels: [UInt16] {
    let total = width * count * 4
    return (0..<total).map { at in
      if depth == 8 { return unsafe UInt16(base.load(fromByteOffset: at, as: UInt8.self)) }
      return unsafe base.load(fromByteOffset: at * 2, as: UInt16.self)
    }
  }

  /// Fills the band from channels in the order of `channels`.
  mutating func fill(_ channels: [UInt16]) {
    precondition(channels.count % (width * 4) == 0 && channels.count <= width * capacity * 4)
    for (at, value) in channels.enumerated() {
      if depth == 8 {
        unsafe base.storeBytes(
          of: UInt8(truncatingIfNeeded: value), toByteOffset: at, as: UInt8.self)
      } else {
        unsafe base.storeBytes(of: value, toByteOffset: at * 2, as: UInt16.self)
      }
    }
    count = channels.count / (width * 4)
  }
}
