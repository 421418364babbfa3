// SPDX-License-Identifier: Apache-2.0
// Sepia as W3C Filter Effects defines it: the brown matrix at an amount, the identity at the rest.
// Amounts are thousandths and so are the matrix's factors, so the products are whole millionths:
// nothing is rounded before the pixel is.

package import Codecs

package enum Sepia {
  /// Thousandths: what red, green and blue are made of at full amount.
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
