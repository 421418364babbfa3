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

  package init(_ fields: MessageFields) throws(FieldError) {
    let text = try fields.string("list", or: "")
    list = text.isEmpty ? nil : ListReference(text)
    since = fields.isMissing("since") ? nil : try fields.count("since")
  }

  package var object: JSONObject {
    var object = JSONObject()
    object["list"] = list.map { .string($0.text) }
    object["since"] = since.map { .count($0) }
    return object
  }
}

package struct FollowStep: MessageValue {
  package var record: UInt64
  /// Milliseconds since 1970.
  package var time: UInt64
  package var list: UInt64
  /// Nil for a change of the list itself.
  package var photo: UInt32?
  /// Of the photo, or of the list; `rejected` for a file that became no list.
  package var state: String

  package init(record: UInt64, time: UInt64, list: UInt64, photo: UInt32? = nil, state: String) {
    (self.record, self.time, self.list) = (record, time, list)
    (self.photo, self.state) = (photo, state)
  }

  package init(_ fields: MessageFields) throws(FieldError) {
    record = try fields.count("record")
    time = try fields.count("time")
    list = try fields.count("list")
    photo = fields.isMissing("photo") ? nil : try fields.count("photo")
    state = try fields.string("state")
  }

  package var object: JSONObject {
    var object = JSONObject([
      "record": .count(record), "time": .count(time), "list": .count(list),
      "state": .string(state),
    ])
    object["photo"] = photo.map { .count($0) }
    return object
  }
}

package struct FollowReport: MessageValue {
  /// Steps in one reply.
  package static let most = 1000

  package var steps: [FollowStep]
  /// The caller continues after this record.
  package var last: UInt64
  /// Steps after `since` were forgotten, as after a restart: `Show` has the states.
  package var missed: Bool

  package init(steps: [FollowStep] = [], last: UInt64, missed: Bool = false) {
    (self.steps, self.last, self.missed) = (steps, last, missed)
  }

  package init(_ fields: MessageFields) throws(FieldError) {
    steps = try fields.values("steps")
    last = try fields.count("last")
    missed = try fields.flag("missed")
  }

  package var object: JSONObject {
    JSONObject(["steps": .values(steps), "last": .count(last), "missed": .bool(missed)])
  }
}
