// SPDX-License-Identifier: Apache-2.0
// One list in replies. States and classes are strings, so that a tool of another version shows even a word
// that it does not know.

package import Vocabulary

package struct ListSummary: MessageValue {
  package var id: UInt64
  /// The dropped file's name without its ending. Not escaped; escape it before showing it.
  package var name: String
  package var title: String
  package var owner: UInt32
  /// The user who paused or cancelled it.
  package var halter: UInt32?
  package var state: String
  package var serviceClass: String
  package var total: UInt32
  /// How many photos are in each state; the sum is `total`.
  package var new: UInt32
  package var downloaded: UInt32
  package var filtered: UInt32
  package var failed: UInt32
  /// Milliseconds since 1970.
  package var accepted: UInt64
  package var end: ListEnd
  package var pace: ListPace

  package init(
    id: UInt64, name: String, title: String, owner: UInt32, halter: UInt32? = nil, state: ListState,
    serviceClass: ServiceClass, total: UInt32, new: UInt32, downloaded: UInt32, filtered: UInt32,
    failed: UInt32, accepted: UInt64, ended: UInt64 = 0,
    pace: ListPace = ListPace()
  ) {
    self.id = id
    self.name = name
    self.title = title
    self.owner = owner
    self.halter = halter
    self.state = state.name
    self.serviceClass = serviceClass.name
    self.total = total
    self.new = new
    self.downloaded = downloaded
    self.filtered = filtered
    self.failed = failed
    self.accepted = accepted
    end = ListEnd(time: ended)
    self.pace = pace
  }

  package init(_ fields: MessageFields) throws(FieldError) {
    id = try fields.count("id")
    name = try fields.string("name")
    title = try fields.string("title")
    owner = try fields.count("owner")
    halter = fields.isMissing("halter") ? nil : try fields.count("halter")
    state = try fields.string("state")
    serviceClass = try fields.string("serviceClass")
    total = try fields.count("total")
    new = try fields.count("new")
    downloaded = try fields.count("downloaded")
    filtered = try fields.count("filtered")
    failed = try fields.count("failed")
    accepted = try fields.count("accepted")
    end = try ListEnd(fields)
    pace = try ListPace(fields)
  }

  package var object: JSONObject {
    var object = JSONObject([
      "id": .count(id), "name": .string(name), "title": .string(title), "owner": .count(owner),
      "state": .string(state), "serviceClass": .string(serviceClass), "total": .count(total),
      "new": .count(new), "downloaded": .count(downloaded), "filtered": .count(filtered),
      "failed": .count(failed), "accepted": .count(accepted),
      "ended": .count(end.time), "returned": .bool(end.isReturned), "bytes": .count(pace.bytes),
      "photosPerHour": .count(pace.photosPerHour),
    ])
    if let halter { object["halter"] = .count(halter) }
    if let expire = end.printsExpire { object["printsExpire"] = .count(expire) }
    if let expired = end.printsExpired { object["printsExpired"] = .count(expired) }
    return object
  }

  package var ended: UInt64 {
    get { end.time }
    set { end.time = newValue }
  }

  /// The photos that are not filtered or failed.
  package var unfinished: UInt64 { UInt64(new) + UInt64(downloaded) }

  /// Until the end at the measured pace; nil if that is unknown, or if the list does not work.
  package var secondsLeft: UInt64? {
    guard state == ListState.running.name, pace.photosPerHour > 0 else { return nil }
    return unfinished * 3600 / pace.photosPerHour
  }

  /// True for a finished or cancelled list.
  package var isFinal: Bool {
    state == ListState.finished.name || state == ListState.cancelled.name
  }
}

/// When a list ended, if its files were returned, and when KeepPrints= removes its prints. Milliseconds since
/// 1970.
package struct ListEnd: Equatable, Sendable {
  /// 0 until the list is finished or cancelled.
  package var time: UInt64
  /// Its copy and its results are in `done` and `failed`, or can never be made.
  package var isReturned = false
  /// When its prints are to be removed; nil if they are not.
  package var printsExpire: UInt64?
  /// When they were removed.
  package var printsExpired: UInt64?

  init(time: UInt64) { self.time = time }

  init(_ fields: MessageFields) throws(FieldError) {
    time = try fields.count("ended")
    isReturned = try fields.isMissing("returned") ? time > 0 : fields.flag("returned")
    printsExpire = fields.isMissing("printsExpire") ? nil : try fields.count("printsExpire")
    printsExpired = fields.isMissing("printsExpired") ? nil : try fields.count("printsExpired")
  }
}
