// SPDX-License-Identifier: Apache-2.0
// The properties of a PNG, from its header, and the form of its rows.

internal import CCodecs

package struct PNGHeader: Sendable {
  let inC: dr_png_header

  package var width: Int { Int(inC.width) }
  package var height: Int { Int(inC.height) }
  /// Bits per channel of the rows: 16 if the file has 16, else 8.
  package var depth: Int { Int(inC.depth) }
  package var hasAlpha: Bool { inC.has_alpha != 0 }
  /// The file is grey; its rows are in colour.
  package var isGrey: Bool { inC.is_grey != 0 }
  /// The picture has a palette: it is developed by its palette and has no rows of channels.
  package var isPalette: Bool { inC.is_palette != 0 }
}
