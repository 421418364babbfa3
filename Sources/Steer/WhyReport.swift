// SPDX-License-Identifier: Apache-2.0
// The parameters of `Why` and its reply: what a list, groups of its photos, or one photo wait for.

package struct WhyOrder: MessageValue {
  package var list: ListReference
  /// A number or a name; nil for the whole list.
  package var photo: String?

  package init(list: ListReference, photo: String? = nil) {
    self.list = list
    self.photo = photo
  }

  package init(_ fields: MessageFields) throws(FieldError) {
    list = ListReference(try fields.string("list"))
    photo = fields.isMissing("photo") ? nil : try fields.string("photo")
  }

  package var object: JSONObject {
    var object = JSONObject(["list": .string(list.text)])
    object["photo"] = photo.map { .string($0) }
    return object
  }
}

/// The reason why photos wait, or the step that they are in. Unknown values are empty or 0.
package struct WaitSummary: MessageValue {
  /// A string, so that a tool of another version shows even a word that it does not know.
  package enum Kind: String, CaseIterable, Sendable {
    // A list.
    case working, paused, opening, takeOver, blocked, damaged, machine, ledger, trouble, downloads,
      finishing
    case ending, returning, over
    // Photos.
    case downloading, connection, filtering, writing, step, host, room, retry, turn, failed,
      filtered
    case cancelled, unknown
  }

  package var kind: String
  package var photos: UInt32
  /// One of the photos.
  package var number: UInt32
  package var name: String
  package var host: String
  package var code: String
  package var reason: String
  /// Milliseconds since 1970.
  package var since: UInt64
  package var until: UInt64
  /// Of a host, or of the photo, and the most attempts of a photo.
  package var attempt: UInt32
  package var attempts: UInt32
  package var received: UInt64
  package var total: UInt64
  /// Photos of more urgent lists, and lists that take turns with this one.
  package var ahead: UInt64
  package var beside: UInt64

  package init(
    _ kind: Kind, photos: UInt32 = 0, number: UInt32 = 0, host: String = "", since: UInt64 = 0,
    until: UInt64 = 0
  ) {
    self.kind = kind.rawValue
    self.photos = photos
    self.number = number
    self.host = host
    self.since = since
    self.until = until
    (name, code, reason) = ("", "", "")
    (attempt, attempts, received, total, ahead, beside) = (0, 0, 0, 0, 0, 0)
  }

  package init(_ fields: MessageFields) throws(FieldError) {
    kind = try fields.string("kind")
    photos = try fields.count("photos")
    number = try fields.count("number", or: 0)
    name = try fields.string("name", or: "")
    host = try fields.string("host", or: "")
    code = try fields.string("code", or: "")
    reason = try fields.string("reason", or: "")
    since = try fields.count("since", or: 0)
    until = try fields.count("until", or: 0)
    attempt = try fields.count("attempt", or: 0)
    attempts = try fields.count("attempts", or: 0)
    received = try fields.count("received", or: 0)
    total = try fields.count("total", or: 0)
    ahead = try fields.count("ahead", or: 0)
    beside = try fields.count("beside", or: 0)
  }

  package var object: JSONObject {
    JSONObject([
      "kind": .string(kind), "photos": .count(photos), "number": .count(number),
      "name": .string(name), "host": .string(host), "code": .string(code),
      "reason": .string(reason), "since": .count(since),
      "until": .count(until), "attempt": .count(attempt), "attempts": .count(attempts),
      "received": .count(received), "total": .count(total), "ahead": .count(ahead),
      "beside": .count(beside),
    ])
  }
}

package struct WhyReport: MessageValue {
  package var list: ListSummary
  /// Of the list, or of the photo.
  package var wait: WaitSummary
  /// The photos of the list by what they wait for.
  package var groups: [WaitSummary]

  package init(list: ListSummary, wait: WaitSummary, groups: [WaitSummary] = []) {
    self.list = list
    self.wait = wait
    self.groups = groups
  }

  package init(_ fields: MessageFields) throws(FieldError) {
    list = try fields.value("list")
    wait = try fields.value("wait")
    groups = try fields.values("groups")
  }

  package var object: JSONObject {
    JSONObject(["list": .value(list), "wait": .value(wait), "groups": .values(groups)])
  }
}
