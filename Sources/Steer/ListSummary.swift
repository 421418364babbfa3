// SPDX-License-Identifier: Apache-2.0
// One list in replies. States and classes are strings, so that a tool of another version shows even a word
// that it does not know.

package import Vocabulary

package struct ListSummary: MessageValue {
  package var id: UInt64 = 0
  /// The dropped file's name without its ending. Not escaped; escape it before showing it.
  package var name = ""
  package var title = ""
  package var owner: UInt32 = 0
  /// The user who paused or cancelled it.
  package var halter: UInt32?
  package var state = ""
  package var serviceClass = ""
  package var total: UInt32 = 0
  /// How many photos are in each state; the sum is `total`.
  package var new: UInt32 = 0
  package var downloaded: UInt32 = 0
  package var filtered: UInt32 = 0
  package var failed: UInt32 = 0
  /// Milliseconds since 1970.
  package var accepted: UInt64 = 0
  package var end = ListEnd()
  package var pace = ListPace()

  package init(
    id: UInt64, name: String, title: String, owner: UInt32, halter: UInt32? = nil, state: ListState,
    serviceClass: ServiceClass, total: UInt32, new: UInt32, downloaded: UInt32, filtered: UInt32,
    failed: UInt32, accepted: UInt64, ended: UInt64 = 0,
    pace: ListPace = ListPace()
  ) {
    (self.id, self.name, self.title, self.owner, self.halter) = (id, name, title, owner, halter)
    (self.state, self.serviceClass, self.total) = (state.name, serviceClass.name, total)
    (self.new, self.downloaded, self.filtered, self.failed) = (new, downloaded, filtered, failed)
    self.accepted = accepted
    end = ListEnd(time: ended)
    self.pace = pace
  }

  package init() {}
  package static let fields: [Field] = [
    Field("id", \.id), Field("name", \.name), Field("title", \.title), Field("owner", \.owner),
    Field("state", \.state, "ListState"), Field("serviceClass", \.serviceClass, "ServiceClass"),
    Field("total", \.total), Field("new", \.new), Field("downloaded", \.downloaded),
    Field("filtered", \.filtered), Field("failed", \.failed), Field("accepted", \.accepted),
    Field("ended", \.end.time), Field("returned", \.end.isReturned), Field("bytes", \.pace.bytes),
    Field("photosPerHour", \.pace.photosPerHour), Field("halter", \.halter),
    Field("printsExpire", \.end.printsExpire), Field("printsExpired", \.end.printsExpired),
  ]

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
  package var time: UInt64 = 0
  /// Its copy and its results are in `done` and `failed`, or can never be made.
  package var isReturned = false
  /// When its prints are to be removed; nil if they are not.
  package var printsExpire: UInt64?
  /// When they were removed.
  package var printsExpired: UInt64?

  init(time: UInt64 = 0) { self.time = time }
}
