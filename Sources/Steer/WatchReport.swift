// SPDX-License-Identifier: Apache-2.0
// The parameters of `Watch` and its reply: the lists with work left and the running transfers.

package struct WatchOrder: MessageValue {
  /// Watches this list until it is over; nil watches all lists with work left, without end.
  package var list: ListReference?

  package init(list: ListReference? = nil) { self.list = list }

  package init(_ fields: MessageFields) throws(FieldError) {
    let text = try fields.string("list", or: "")
    list = text.isEmpty ? nil : ListReference(text)
  }

  package var object: JSONObject {
    var object = JSONObject()
    object["list"] = list.map { .string($0.text) }
    return object
  }
}

/// One transfer. Photos with the same URL share it.
package struct TransferSummary: MessageValue {
  /// The list and number of the named photo.
  package var list: UInt64
  package var photo: UInt32
  package var name: String
  /// How many photos that the caller may look at wait for this transfer.
  package var photos: Int
  /// The host, with its port unless it is the default.
  package var server: String
  package var received: UInt64
  /// Nil when the origin did not send it.
  package var total: UInt64?
  /// Bytes per second, over the last seconds.
  package var rate: UInt64

  package init(
    list: UInt64, photo: UInt32, name: String, photos: Int, server: String, received: UInt64,
    total: UInt64?, rate: UInt64
  ) {
    self.list = list
    self.photo = photo
    self.name = name
    self.photos = photos
    self.server = server
    self.received = received
    self.total = total
    self.rate = rate
  }

  package init(_ fields: MessageFields) throws(FieldError) {
    list = try fields.count("list")
    photo = try fields.count("photo")
    name = try fields.string("name")
    photos = try fields.count("photos")
    server = try fields.string("server")
    received = try fields.count("received")
    total = fields.isMissing("total") ? nil : try fields.count("total")
    rate = try fields.count("rate")
  }

  package var object: JSONObject {
    var object = JSONObject([
      "list": .count(list), "photo": .count(photo), "name": .string(name),
      "photos": .int(Int64(photos)), "server": .string(server), "received": .count(received),
      "rate": .count(rate),
    ])
    object["total"] = total.map { .count($0) }
    return object
  }

  /// Seconds until the end at the current rate; nil when unknown.
  package var secondsLeft: UInt64? {
    guard let total, rate > 0, total >= received else { return nil }
    return (total - received) / rate
  }
}

package struct WatchReport: MessageValue {
  package var lists: [ListSummary]
  package var transfers: [TransferSummary]

  package init(lists: [ListSummary] = [], transfers: [TransferSummary] = []) {
    self.lists = lists
    self.transfers = transfers
  }

  package init(_ fields: MessageFields) throws(FieldError) {
    lists = try fields.values("lists")
    transfers = try fields.values("transfers")
  }

  package var object: JSONObject {
    JSONObject(["lists": .values(lists), "transfers": .values(transfers)])
  }
}
