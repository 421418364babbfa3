// SPDX-License-Identifier: Apache-2.0
// The two numbers by which the journal file refers to lists and photos. It holds no names and no URLs.

/// A list's number: counted up from 1, never reused.
package struct ListID: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let number: UInt64

  package init(_ number: UInt64) { self.number = number }

  package static func < (a: ListID, b: ListID) -> Bool { a.number < b.number }
  package var description: String { String(number) }
}

/// A photo's place in its list, counted from 1 in file order.
package struct PhotoID: Hashable, Sendable, CustomStringConvertible {
  package let list: ListID
  package let number: UInt32

  package init(list: ListID, number: UInt32) {
    self.list = list
    self.number = number
  }

  package var description: String { "\(list)/\(number)" }
}
