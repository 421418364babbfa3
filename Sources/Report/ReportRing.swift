// SPDX-License-Identifier: Apache-2.0
// The bounded queue of notices that wait for the writer, oldest first. A full queue drops new notices and
// counts them. Its last eighth is reserved for warnings and worse, so that a flood hides no trouble.

struct ReportRing {
  private(set) var waiting: [Notice] = []
  private(set) var leftOut: UInt64 = 0
  private let capacity: Int

  init(capacity: Int) { self.capacity = max(8, capacity) }

  var isEmpty: Bool { waiting.isEmpty && leftOut == 0 }

  mutating func push(_ notice: Notice) {
    let room = notice.priority <= .warning ? capacity : capacity - capacity / 8
    if waiting.count < room { waiting.append(notice) } else { leftOut += 1 }
  }

  /// All waiting notices, and how many were dropped after them.
  mutating func takeAll() -> (notices: [Notice], leftOut: UInt64) {
    defer {
      waiting = []
      leftOut = 0
    }
    return (waiting, leftOut)
  }
}

/// Messages that were left out, by their cause.
package struct LostMessages: Equatable, Sendable {
  /// The queue had no room for them.
  package var late: UInt64
  /// The log was away, or did not take them.
  package var refused: UInt64

  package init(late: UInt64 = 0, refused: UInt64 = 0) {
    (self.late, self.refused) = (late, refused)
  }

  package var count: UInt64 { late + refused }

  /// Completes "because".
  package var cause: String {
    let flood = "came faster than they could be written"
    if refused == 0 { return "they \(flood)" }
    if late == 0 { return "the log did not take \(refused == 1 ? "it" : "them")" }
    return
      "\(late) \(flood), and the log did not take the other\(refused == 1 ? "" : " \(refused)")"
  }
}
