// SPDX-License-Identifier: Apache-2.0
// The properties of a JPEG, from its header.

internal import CCodecs

package struct JPEGHeader: Equatable, Sendable {
  package enum Space: UInt8, Sendable {
    case grey = 1
    case ycc = 2
    case rgb = 3
    case cmyk = 4
    case ycck = 5
  }

  package let width: Int
  package let height: Int
  package let space: Space
  package let isProgressive: Bool
  /// The whole picture is held in memory, since its components or scans come one after another.
  package let isBuffered: Bool
  package let hasJFIF: Bool
  package let densityUnit: UInt8
  package let density: [UInt16]
  /// Each component's sampling factors, across and down.
  package let sampling: [[UInt8]]
  /// The picture is developed on its planes of light and chroma; it has no rows of red, green and blue.
  package let hasPlanes: Bool

  init(_ header: dr_jpeg_header) {
    width = Int(header.width)
    height = Int(header.height)
    space = Space(rawValue: header.space) ?? .ycc
    isProgressive = header.is_progressive != 0
    isBuffered = header.is_buffered != 0
    hasJFIF = header.has_jfif != 0
    densityUnit = header.density_unit
    density = [header.density_x, header.density_y]
    hasPlanes = header.has_planes != 0
    let across = [header.across.0, header.across.1, header.across.2, header.across.3]
    let down = [header.down.0, header.down.1, header.down.2, header.down.3]
    sampling = (0..<min(Int(header.components), 4)).map { [across[$0], down[$0]] }
  }
}
