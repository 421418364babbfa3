// SPDX-License-Identifier: Apache-2.0
// The elements of an XML property list, the most frequent first.

enum ListElement: String, CaseIterable, Sendable, CustomStringConvertible {
  case key, string, dict, array, plist, integer, real, date, data
  case `true`, `false`

  private static let codes = allCases.map { (code: code(Array($0.rawValue.utf8).span), $0) }

  init?(_ name: Span<UInt8>) {
    guard name.count <= 8 else { return nil }
    let code = Self.code(name)
    guard let known = Self.codes.first(where: { $0.code == code }) else { return nil }
    self = known.1
  }

  /// A name of at most eight bytes as a number. It is unique, since names in XML contain no NUL.
  private static func code(_ name: Span<UInt8>) -> UInt64 {
    var code: UInt64 = 0
    for index in name.indices { code = code << 8 | UInt64(name[index]) }
    return code
  }

  var description: String { rawValue }

  /// The kind of a value that lists do not use, whose text does not matter.
  var scalar: ListEvent.Scalar? {
    switch self {
    case .real: .number
    case .true, .false: .bool
    case .date: .date
    case .data: .data
    default: nil
    }
  }
}
