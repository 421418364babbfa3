// SPDX-License-Identifier: Apache-2.0
// The key of a line of photos: those with the list's class, or those that set one class of their own.

package import Vocabulary

package struct LineKey: Hashable, Sendable {
  package let list: ListID
  /// Nil for photos without a class of their own.
  package let own: ServiceClass?

  package init(_ list: ListID, own: ServiceClass? = nil) {
    self.list = list
    self.own = own
  }
}
