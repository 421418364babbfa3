// SPDX-License-Identifier: Apache-2.0
// What of a picture's metadata comes into its print. What the picture looks wrong without comes
// always: orientation, colour profile, density.

package enum MetadataRule: UInt8, Sendable, CaseIterable, CustomStringConvertible {
  /// All of it, byte for byte, but for previews.
  case keep = 1
  /// None but what the picture looks wrong without.
  case strip = 2
  /// Beside that, who made it and whose it is.
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

  /// `keep, strip or copyright`, for the words of a refusal.
  package static var names: String {
    let names = allCases.map(\.name)
    return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
  }
}
