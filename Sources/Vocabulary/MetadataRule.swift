// SPDX-License-Identifier: Apache-2.0
// Which metadata of a picture its print keeps. Orientation, colour profile and density are always kept:
// without them the picture looks wrong.

package enum MetadataRule: UInt8, Sendable, CaseIterable, CustomStringConvertible {
  /// All metadata that the filter knows, byte for byte, without previews.
  case keep = 1
  /// Only orientation, colour profile and density.
  case strip = 2
  /// As `strip`, plus author and copyright.
  case copyright = 3

  package var name: String {
    switch self {
    case .keep: "keep"
    case .strip: "strip"
    case .copyright: "copyright"
    }
  }

  package init?(name: String) {
    guard let rule = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = rule
  }

  package var description: String { name }

  /// `keep, strip or copyright`, for error messages.
  package static var names: String {
    let names = allCases.map(\.name)
    return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
  }
}
