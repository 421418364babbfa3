// SPDX-License-Identifier: Apache-2.0
// The calls of a page on which people look at a list, and their replies: a token for a viewer, the right that it is
// exchanged for, the states of all photos, the colours of an overview, the search for a name, and the pictures.

package import Linux

package struct OpenReport: MessageValue {
  package var list: ListSummary
  /// Good for one `Redeem`, within two minutes.
  package var token: String

  package init(list: ListSummary, token: String) { (self.list, self.token) = (list, token) }

  package init(_ fields: MessageFields) throws(FieldError) {
    list = try fields.value("list")
    token = try fields.string("token")
  }

  package var object: JSONObject {
    JSONObject(["list": .value(list), "token": .string(token)])
  }
}

package struct RedeemReport: MessageValue {
  package var list: UInt64
  /// For whom the token was made.
  package var user: UInt32
  /// The right to look at the list; see `ViewRight`.
  package var view: String
  package var seconds: UInt32

  package init(list: UInt64, user: UInt32, view: String, seconds: UInt32) {
    (self.list, self.user, self.view, self.seconds) = (list, user, view, seconds)
  }

  package init(_ fields: MessageFields) throws(FieldError) {
    list = try fields.count("list")
    user = try fields.count("user")
    view = try fields.string("view")
    seconds = try fields.count("seconds")
  }

  package var object: JSONObject {
    JSONObject([
      "list": .count(list), "user": .count(user), "view": .string(view),
      "seconds": .count(seconds),
    ])
  }
}

package struct StatesOrder: MessageValue {
  /// Bounds the memory of a call: a page of a million photos makes many calls, one after another.
  package static let highestLimit: UInt32 = 65_536

  package var list: ListReference
  package var offset: UInt32
  /// 0 for the list alone.
  package var limit: UInt32

  package init(list: ListReference, offset: UInt32 = 0, limit: UInt32 = Self.highestLimit) {
    (self.list, self.offset, self.limit) = (list, offset, min(limit, Self.highestLimit))
  }

  package init(_ fields: MessageFields) throws(FieldError) {
    list = ListReference(try fields.string("list"))
    offset = try fields.count("offset", or: 0)
    limit = try fields.count("limit", or: Self.highestLimit)
    guard limit <= Self.highestLimit else { throw FieldError(name: "limit") }
  }

  package var object: JSONObject {
    JSONObject([
      "list": .string(list.text), "offset": .count(offset), "limit": .count(limit),
    ])
  }
}

package struct StatesReport: MessageValue {
  package var list: ListSummary
  /// `Follow` continues after this record.
  package var record: UInt64
  /// A digit for each photo: 0 new, 1 downloaded, 2 filtered, 3 failed, 4 unknown, because its result is lost.
  package var states: String
  /// The caller may change the order of its photos.
  package var mayFocus: Bool

  package init(
    list: ListSummary, record: UInt64, states: String = "", mayFocus: Bool = false
  ) {
    (self.list, self.record, self.states, self.mayFocus) = (list, record, states, mayFocus)
  }

  package init(_ fields: MessageFields) throws(FieldError) {
    list = try fields.value("list")
    record = try fields.count("record")
    states = try fields.string("states")
    mayFocus = try fields.flag("mayFocus")
  }

  package var object: JSONObject {
    JSONObject([
      "list": .value(list), "record": .count(record), "states": .string(states),
      "mayFocus": .bool(mayFocus),
    ])
  }
}

/// A list in groups of photos that follow each other, of equal size as far as possible.
package struct ColoursOrder: MessageValue {
  package static let mostGroups: UInt32 = 2048

  package var list: ListReference
  package var groups: UInt32

  package init(list: ListReference, groups: UInt32) { (self.list, self.groups) = (list, groups) }

  package init(_ fields: MessageFields) throws(FieldError) {
    list = ListReference(try fields.string("list"))
    groups = try fields.count("groups")
    guard 1...Self.mostGroups ~= groups else { throw FieldError(name: "groups") }
  }

  package var object: JSONObject {
    JSONObject(["list": .string(list.text), "groups": .count(groups)])
  }
}

package struct ColoursReport: MessageValue {
  /// For each group the colours of one of its prints: four times three of them, row by row, each three hexadecimal
  /// digits for red, green and blue. Empty for a group without a known one.
  package var groups: [String]

  package init(groups: [String]) { self.groups = groups }

  package init(_ fields: MessageFields) throws(FieldError) { groups = try fields.strings("groups") }

  package var object: JSONObject {
    JSONObject(["groups": .array(groups.map { .string($0) })])
  }
}

package struct FindOrder: MessageValue {
  package var list: ListReference
  /// Part of a name, in upper or lower case.
  package var text: String
  /// The search begins behind this photo.
  package var after: UInt32

  package init(list: ListReference, text: String, after: UInt32 = 0) {
    (self.list, self.text, self.after) = (list, text, after)
  }

  package init(_ fields: MessageFields) throws(FieldError) {
    list = ListReference(try fields.string("list"))
    text = try fields.string("text")
    guard !text.isEmpty else { throw FieldError(name: "text") }
    after = try fields.count("after", or: 0)
  }

  package var object: JSONObject {
    JSONObject(["list": .string(list.text), "text": .string(text), "after": .count(after)])
  }
}

package struct FindReport: MessageValue {
  package var photo: UInt32?
  /// Nothing was found up to here; the search can continue. Nil at the end of the list.
  package var more: UInt32?

  package init(photo: UInt32? = nil, more: UInt32? = nil) {
    (self.photo, self.more) = (photo, more)
  }

  package init(_ fields: MessageFields) throws(FieldError) {
    photo = fields.isMissing("photo") ? nil : try fields.count("photo")
    more = fields.isMissing("more") ? nil : try fields.count("more")
  }

  package var object: JSONObject {
    var object = JSONObject()
    object["photo"] = photo.map { .count($0) }
    object["more"] = more.map { .count($0) }
    return object
  }
}

package struct PictureOrder: MessageValue {
  package var list: ListReference
  package var photo: UInt32
  package var isThumbnail: Bool

  package init(list: ListReference, photo: UInt32, isThumbnail: Bool = false) {
    (self.list, self.photo, self.isThumbnail) = (list, photo, isThumbnail)
  }

  package init(_ fields: MessageFields) throws(FieldError) {
    list = ListReference(try fields.string("list"))
    photo = try fields.count("photo")
    guard photo > 0 else { throw FieldError(name: "photo") }
    isThumbnail = try fields.flag("thumbnail")
  }

  package var object: JSONObject {
    JSONObject([
      "list": .string(list.text), "photo": .count(photo), "thumbnail": .bool(isThumbnail),
    ])
  }
}

/// The caller may be a process that cannot open the file.
package struct PictureReport: MessageValue {
  /// `image/jpeg` or `image/png`; nil without such a picture.
  package var type: String?
  /// Goes beside the message.
  package var file: LinuxFile?

  package init(type: String? = nil, file: LinuxFile? = nil) {
    (self.type, self.file) = (type, file)
  }

  package init(_ fields: MessageFields) throws(FieldError) {
    type = fields.isMissing("type") ? nil : try fields.string("type")
  }

  package var object: JSONObject { JSONObject(type.map { ["type": .string($0)] } ?? [:]) }

  package static func == (one: PictureReport, other: PictureReport) -> Bool {
    one.type == other.type && one.file === other.file
  }
}
