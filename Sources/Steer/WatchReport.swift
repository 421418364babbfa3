// SPDX-License-Identifier: Apache-2.0
// The parameters of `Watch` and its reply: the lists with work left and the running transfers.

package struct WatchOrder: ControlMethod {
  package typealias Answer = WatchReport

  /// Watches this list until it is over; nil watches all lists with work left, without end.
  package var list: ListReference?

  package init(list: ListReference? = nil) { self.list = list }

  package init() {}
  package static let fields: [Field] = [Field("list", \.list)]
  package static let isStream = true
  package static let about = """
    The running transfers and the lists with work left: all of them, or those of one list. With 'more'
    set, a reply follows every second while a photo is processed, otherwise after each change; for one
    list, until it is over.
    """

  package func room(_ limits: ControlLimits) -> Int {
    list == nil ? limits.unreadPerUser / 2 : 0
  }
}

/// One transfer. Photos with the same URL share it.
package struct TransferSummary: MessageValue {
  /// The list and number of the named photo.
  package var list: UInt64 = 0
  package var photo: UInt32 = 0
  package var name = ""
  /// How many photos that the caller may look at wait for this transfer.
  package var photos = 0
  /// The host, with its port unless it is the default.
  package var server = ""
  package var received: UInt64 = 0
  /// Nil when the origin did not send it.
  package var total: UInt64?
  /// Bytes per second, over the last seconds.
  package var rate: UInt64 = 0

  package init(
    list: UInt64, photo: UInt32, name: String, photos: Int, server: String, received: UInt64,
    total: UInt64?, rate: UInt64
  ) {
    (self.list, self.photo, self.name, self.photos) = (list, photo, name, photos)
    (self.server, self.received, self.total, self.rate) = (server, received, total, rate)
  }

  package init() {}
  package static let fields: [Field] = [
    Field("list", \.list), Field("photo", \.photo), Field("name", \.name),
    Field("photos", \.photos), Field("server", \.server), Field("received", \.received),
    Field("total", \.total), Field("rate", \.rate),
  ]

  /// Seconds until the end at the current rate; nil when unknown.
  package var secondsLeft: UInt64? {
    guard let total, rate > 0, total >= received else { return nil }
    return (total - received) / rate
  }
}

package struct WatchReport: MessageValue {
  package var lists: [ListSummary] = []
  package var transfers: [TransferSummary] = []

  package init(lists: [ListSummary] = [], transfers: [TransferSummary] = []) {
    (self.lists, self.transfers) = (lists, transfers)
  }

  package init() {}
  package static let fields: [Field] = [Field("lists", \.lists), Field("transfers", \.transfers)]
}
