// SPDX-License-Identifier: Apache-2.0
// Which records of journald are wanted. A value.

/// All conditions are true of a record. A condition has alternatives, and an alternative matches of the form
/// `NAME=value`: matches of one field are alternatives again, matches of several fields must all be true.
package struct JournalQuery: Equatable, Sendable {
  package typealias Condition = [[String]]

  package private(set) var conditions: [Condition] = []

  package init(_ conditions: [Condition] = []) { self.conditions = conditions }

  package mutating func add(_ condition: Condition) { conditions.append(condition) }
}
