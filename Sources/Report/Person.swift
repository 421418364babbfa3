// SPDX-License-Identifier: Apache-2.0
// A user of this machine in a notice, and the names of users. A look-up may wait for a directory service, so the
// reporter's thread makes it, not the thread that reports.

/// The name is empty until the notice is written, and for a user without one.
package struct Person: Equatable, Sendable {
  package let number: UInt32
  package private(set) var name = ""

  package init(_ number: UInt32, name: String = "") {
    self.number = number
    self.name = name
  }

  /// For sentences.
  package var words: String { name.isEmpty ? "user \(number)" : name }
}

/// Facts that name users.
protocol NamesPeople: Sendable {
  mutating func name(_ names: inout PersonNames)
}

extension Person: NamesPeople {
  mutating func name(_ names: inout PersonNames) {
    if name.isEmpty { name = names[number] }
  }
}

extension Optional: NamesPeople where Wrapped: NamesPeople {
  mutating func name(_ names: inout PersonNames) {
    guard var known = self else { return }
    known.name(&names)
    self = known
  }
}

/// The names that have been looked up, including those that no user has. A value.
struct PersonNames {
  private static let most = 1000

  private let look: @Sendable (UInt32) -> String?
  private var known: [UInt32: String] = [:]

  init(_ look: @escaping @Sendable (UInt32) -> String?) { self.look = look }

  /// Empty for a user without one.
  subscript(user: UInt32) -> String {
    mutating get {
      if let name = known[user] { return name }
      if known.count >= Self.most { known = [:] }
      let name = look(user) ?? ""
      known[user] = name
      return name
    }
  }
}
