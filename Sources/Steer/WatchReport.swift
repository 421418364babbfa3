// SPDX-License-Identifier: Apache-2.0
// What `Watch` is asked and answers: the lists with work left and the transfers on their way.

package struct WatchOrder: MessageValue {
  /// Only this list, until it is over; nil for all that have work left, for as long as anybody looks.
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
  /// Of the photo that is named.
  package var list: UInt64
  package var photo: UInt32
  package var name: String
  /// How many photos wait for it.
  package var photos: Int
  /// Host, and port where it is not the usual one.
  package var server: String
  package var received: UInt64
  /// Nil where the origin has not told.
  package var total: UInt64?
  /// Bytes a second, over the last seconds.
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

  /// Seconds until it is here if it goes on like this; nil where that cannot be told.
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
