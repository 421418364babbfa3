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

  fileprivate mutating func take(_ name: String) { self.name = name }
}

/// The names that have been looked up, including those that no user has. A value.
struct PersonNames {
  private static let most = 1000

  private let look: @Sendable (UInt32) -> String?
  private var known: [UInt32: String] = [:]

  init(_ look: @escaping @Sendable (UInt32) -> String?) { self.look = look }

  mutating func name(_ person: inout Person) {
    if known[person.number] == nil {
      if known.count >= Self.most { known = [:] }
      known[person.number] = look(person.number) ?? ""
    }
    person.take(known[person.number] ?? "")
  }

  mutating func name(_ person: inout Person?) {
    guard var known = person else { return }
    name(&known)
    person = known
  }
}
