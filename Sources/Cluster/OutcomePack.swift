// SPDX-License-Identifier: Apache-2.0
// The outcomes of one report as bytes: a version, then number, state, length and row of each photo. Numbers are
// little-endian.

enum OutcomePack {
  private static let version: UInt8 = 1

  static func encode(_ outcomes: [Outcome]) -> [UInt8] {
    var bytes = [version]
    for outcome in outcomes {
      for byte in 0..<4 {
        bytes.append(UInt8(truncatingIfNeeded: outcome.photo >> (8 * UInt32(byte))))
      }
      let length = UInt16(clamping: outcome.row.count)
      bytes += [
        outcome.isFiltered ? 1 : 0, UInt8(truncatingIfNeeded: length),
        UInt8(truncatingIfNeeded: length >> 8),
      ]
      bytes += outcome.row.prefix(Int(length))
    }
    return bytes
  }

  /// The outcomes before the first outcome that cannot be read; no outcomes if the version is another one.
  static func decode(_ bytes: [UInt8]) -> [Outcome] {
    guard bytes.first == version else { return [] }
    var outcomes: [Outcome] = []
    var rest = bytes.dropFirst()
    while rest.count >= 7 {
      let head = Array(rest.prefix(7))
      let photo = head.prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      let length = Int(head[5]) | Int(head[6]) << 8
      rest = rest.dropFirst(7)
      guard rest.count >= length else { break }
      outcomes.append(
        Outcome(photo: photo, isFiltered: head[4] == 1, row: Array(rest.prefix(length))))
      rest = rest.dropFirst(length)
    }
    return outcomes
  }
}
