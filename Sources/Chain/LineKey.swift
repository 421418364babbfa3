// SPDX-License-Identifier: Apache-2.0
// The key of a line of photos: those with the list's class, or those that set one class.

package import Vocabulary

package struct LineKey: Hashable, Sendable {
  package let list: ListID
  /// Nil for photos that set no class.
  package let own: ServiceClass?

  package init(_ list: ListID, own: ServiceClass? = nil) {
    self.list = list
    self.own = own
  }
}
