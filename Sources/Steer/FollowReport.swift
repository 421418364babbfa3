// SPDX-License-Identifier: Apache-2.0
// The parameters of `Follow` and its reply: changes of state as they are recorded, each with the number of its
// record, after which a caller continues.

package struct FollowOrder: ControlMethod {
  package typealias Answer = FollowReport

  /// Only this list, until it is over; nil for all lists, without end.
  package var list: ListReference?
  /// The last record that the caller has seen; nil to begin now.
  package var since: UInt64?

  package init(list: ListReference? = nil, since: UInt64? = nil) {
    (self.list, self.since) = (list, since)
  }

  package init() {}
  package static let fields: [Field] = [Field("list", \.list), Field("since", \.since)]
  package static let isStream = true
  package static let about = """
    The changes of state after the record 'since', as they are recorded, at most 1000 in a reply; without
    'since', from now on. Of all lists, or of one. With 'more' set, replies follow, for one list until it is
    over. A caller that was away continues with 'last' of the reply that it had. 'missed' says that the
    daemon has forgotten some of the changes in between, as after a restart: Show has the states.
    """

  package var viewed: ListReference? { list }
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
