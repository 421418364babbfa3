// SPDX-License-Identifier: Apache-2.0
// A line of photos that wait for their turn: those of a list that are of its class, or those of it that
// have a class of their own.

package import Vocabulary

package struct LineKey: Hashable, Sendable {
  package let list: ListID
  /// Nil for the photos that have none of their own.
  package let own: ServiceClass?

  package init(_ list: ListID, own: ServiceClass? = nil) {
    self.list = list
    self.own = own
  }
}
