// SPDX-License-Identifier: Apache-2.0
// The parameters of `Focus` and `Unfocus`, and their reply.

package struct FocusOrder: MessageValue {
  package static let mostWords = 1000
  package static let longestViewer = 64
  package static let longestLease: UInt32 = 3600

  package var list: ListReference
  /// Numbers, ranges of numbers such as `10-20`, and names; none for the first photos that are not done.
  package var photos: [String]
  /// Tells the viewers of one user apart.
  package var viewer: String
  /// The length of the lease.
  package var seconds: UInt32

  package init(
    list: ListReference, photos: [String] = [], viewer: String = "", seconds: UInt32 = 60
  ) {
    self.list = list
    self.photos = photos
    self.viewer = viewer
    self.seconds = min(seconds, Self.longestLease)
  }

  package init(_ fields: MessageFields) throws(FieldError) {
    list = ListReference(try fields.string("list"))
    photos = try Self.words(fields)
    viewer = try fields.string("viewer", or: "")
    guard viewer.utf8.count <= Self.longestViewer, !viewer.utf8.contains(0) else {
      throw FieldError(name: "viewer")
    }
    seconds = try fields.count("seconds", or: 60)
    guard 1...Self.longestLease ~= seconds else { throw FieldError(name: "seconds") }
  }

  /// The words for photos of a call, also of `Retry`.
  static func words(_ fields: MessageFields) throws(FieldError) -> [String] {
    let words = fields.isMissing("photos") ? [] : try fields.strings("photos")
    guard words.count <= mostWords else { throw FieldError(name: "photos") }
    return words
  }

  package var object: JSONObject {
    JSONObject([
      "list": .string(list.text), "photos": .array(photos.map { .string($0) }),
      "viewer": .string(viewer), "seconds": .count(seconds),
    ])
  }
}

package struct FocusReport: MessageValue {
  package var list: ListSummary
  /// How many photos were named; 0 after `Unfocus`.
  package var photos: UInt32
  /// How many of them are neither filtered nor failed.
  package var left: UInt32
  /// The end of the lease, in milliseconds since 1970; 0 after `Unfocus`.
  package var until: UInt64

  package init(list: ListSummary, photos: UInt32 = 0, left: UInt32 = 0, until: UInt64 = 0) {
    self.list = list
    self.photos = photos
    self.left = left
    self.until = until
  }

  package init(_ fields: MessageFields) throws(FieldError) {
    list = try fields.value("list")
    photos = try fields.count("photos")
    left = try fields.count("left")
    until = try fields.count("until")
  }

  package var object: JSONObject {
    JSONObject([
      "list": .value(list), "photos": .count(photos), "left": .count(left),
      "until": .count(until),
    ])
  }
}
