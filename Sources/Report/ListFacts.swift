// SPDX-License-Identifier: Apache-2.0
// The facts of a list that a notice is about. `Notice+Facts` escapes the names.

package import Vocabulary

package struct ListFacts: Equatable, Sendable {
  package var id: ListID
  package var name: String
  package var total: UInt32
  /// Filtered photos.
  package var done: UInt32
  package var failed: UInt32
  package var serviceClass: ServiceClass
  package var revises: ListID?
  package var owner: Person?
  /// The user who asked for the change; nil for a change that darkroom makes by itself.
  package var caller: Person?

  package init(
    id: ListID, name: String, total: UInt32, done: UInt32 = 0, failed: UInt32 = 0,
    serviceClass: ServiceClass = .default, revises: ListID? = nil, owner: Person? = nil,
    caller: Person? = nil
  ) {
    self.id = id
    self.name = name
    self.total = total
    self.done = done
    self.failed = failed
    self.serviceClass = serviceClass
    self.revises = revises
    self.owner = owner
    self.caller = caller
  }
}

extension ListFacts: NamesPeople {
  mutating func name(_ names: inout PersonNames) {
    owner.name(&names)
    caller.name(&names)
  }
}
