// SPDX-License-Identifier: Apache-2.0
// Bytes as base64, for digests in HTTP headers. Pure.

package enum Base64 {
  private static let digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  package static func text(_ bytes: [UInt8]) -> String {
    var out: [UInt8] = []
    for first in stride(from: 0, to: bytes.count, by: 3) {
      let piece = bytes[first..<min(first + 3, bytes.count)]
      let value = (0..<3).reduce(0) {
        $0 << 8 | Int(first + $1 < bytes.count ? bytes[first + $1] : 0)
      }
      for place in 0..<4 {
        out.append(
          place <= piece.count ? digits[value >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
      }
    }
    return String(decoding: out, as: UTF8.self)
  }
}
