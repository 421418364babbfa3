// SPDX-License-Identifier: Apache-2.0
// Sepia as defined by W3C Filter Effects: the sepia matrix at an amount, the identity at the rest. Amounts
// and the matrix's factors are thousandths, so their products are whole millionths: nothing is rounded before
// the pixel.

package import Codecs

package enum Sepia {
  /// Red, green and blue at full amount, in thousandths.
  private static let full: [Int32] = [393, 769, 189, 349, 686, 168, 272, 534, 131]

  /// The amount is clamped to 0...1000.
  package static func matrix(thousandths: Int) -> ColourMatrix {
    let amount = Int32(min(max(thousandths, 0), 1000))
    let millionths = full.enumerated().map { at, factor in
      factor * amount + (at % 4 == 0 ? 1000 * (1000 - amount) : 0)
    }
    return ColourMatrix(millionths: millionths)
  }
}
