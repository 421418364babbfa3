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

  /// The value, if the text of the element does not matter.
  var textless: ListEvent? {
    switch self {
    case .real: .scalar(.number)
    case .true, .false: .flag(self == .true)
    case .date: .scalar(.date)
    case .data: .scalar(.data)
    default: nil
    }
  }
}
