// SPDX-License-Identifier: Apache-2.0
// The properties of a JPEG, from its header.

internal import CCodecs

package struct JPEGHeader: Sendable {
  let inC: dr_jpeg_header

  package var width: Int { Int(inC.width) }
  package var height: Int { Int(inC.height) }
  /// The picture is developed on its planes of light and chroma; it has no rows of red, green and blue.
  package var hasPlanes: Bool { inC.has_planes != 0 }
}
