// SPDX-License-Identifier: Apache-2.0
// The parameters of `Follow` and its reply: changes of state as they are recorded, each with the number of its
// record, after which a caller continues.

package struct FollowOrder: MessageValue {
  /// Only this list, until it is over; nil for all lists, without end.
  package var list: ListReference?
  /// The last record that the caller has seen; nil to begin now.
  package var since: UInt64?

  package init(list: ListReference? = nil, since: UInt64? = nil) {
    (self.list, self.since) = (list, since)
  }

  package init() {}
  package static let fields: [Field] = [Field("list", \.list), Field("since", \.since)]
}

package struct FollowStep: MessageValue {
  package var record: UInt64 = 0
  /// Milliseconds since 1970.
  package var time: UInt64 = 0
  package var list: UInt64 = 0
  /// Nil for a change of the list itself.
  package var photo: UInt32?
  /// Of the photo, or of the list; `rejected` for a file that became no list.
  package var state = ""

  package init(record: UInt64, time: UInt64, list: UInt64, photo: UInt32? = nil, state: String) {
    (self.record, self.time, self.list) = (record, time, list)
    (self.photo, self.state) = (photo, state)
  }

  package init() {}
  package static let fields: [Field] = [
    Field("record", \.record), Field("time", \.time), Field("list", \.list),
    Field("photo", \.photo), Field("state", \.state),
  ]
}

package struct FollowReport: MessageValue {
  /// Steps in one reply.
  package static let most = 1000

  package var steps: [FollowStep] = []
  /// The caller continues after this record.
  package var last: UInt64 = 0
  /// Steps after `since` were forgotten, as after a restart: `Show` has the states.
  package var missed = false

  package init(steps: [FollowStep] = [], last: UInt64, missed: Bool = false) {
    (self.steps, self.last, self.missed) = (steps, last, missed)
  }

  package init() {}
  package static let fields: [Field] = [
    Field("steps", \.steps), Field("last", \.last), Field("missed", \.missed),
  ]
}
