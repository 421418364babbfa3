// SPDX-License-Identifier: Apache-2.0
// The parameters of `Why` and its reply: what a list, groups of its photos, or one photo wait for.

package struct WhyOrder: ControlMethod {
  package typealias Answer = WhyReport

  package var list = ListReference("")
  /// A number or a name; nil for the whole list.
  package var photo: String?

  package init(list: ListReference, photo: String? = nil) {
    (self.list, self.photo) = (list, photo)
  }

  package init() {}
  package static let fields: [Field] = [Field("list", \.list), Field("photo", \.photo)]
  package static let about = """
    The reason why the list waits, and its unfinished and failed photos in groups by their reasons. With a
    photo, a number or a name: the reason why that photo waits; groups is then empty.
    """
}

/// The reason why photos wait, or the step that they are in. Unknown values are empty or 0.
package struct WaitSummary: MessageValue {
  /// A string, so that a tool of another version shows even a word that it does not know.
  package enum Kind: String, CaseIterable, Sendable {
    // A list.
    case working, paused, openingTurn, opening, takeOver, blocked, damaged, machine, ledger, nodes
    case trouble, downloads, finishing
    case ending, returningTurn, returning, over, lost
    // Photos.
    case downloading, connection, filtering, writing, step, host, room, retry, turn, failed,
      filtered
    case cancelled, unknown
  }

  package var kind = ""
  package var photos: UInt32 = 0
  /// One of the photos.
  package var number: UInt32 = 0
  package var name = ""
  package var host = ""
  package var code = ""
  package var reason = ""
  /// Milliseconds since 1970.
  package var since: UInt64 = 0
  package var until: UInt64 = 0
  /// Of a host, or of the photo, and the most attempts of a photo.
  package var attempt: UInt32 = 0
  package var attempts: UInt32 = 0
  package var received: UInt64 = 0
  package var total: UInt64 = 0
  /// Photos of more urgent lists, and lists that take turns with this one.
  package var ahead: UInt64 = 0
  package var beside: UInt64 = 0

  package init(
    _ kind: Kind, photos: UInt32 = 0, number: UInt32 = 0, host: String = "", since: UInt64 = 0,
    until: UInt64 = 0
  ) {
    (self.kind, self.photos, self.number, self.host) = (kind.rawValue, photos, number, host)
    (self.since, self.until) = (since, until)
  }

  package init() {}
  package static let fields: [Field] = [
    Field("kind", \.kind), Field("photos", \.photos), Field("number", \.number),
    Field("name", \.name), Field("host", \.host), Field("code", \.code), Field("reason", \.reason),
    Field("since", \.since), Field("until", \.until), Field("attempt", \.attempt),
    Field("attempts", \.attempts), Field("received", \.received), Field("total", \.total),
    Field("ahead", \.ahead), Field("beside", \.beside),
  ]
}

package struct WhyReport: MessageValue {
  package var list = ListSummary()
  /// Of the list, or of the photo.
  package var wait = WaitSummary()
  /// The photos of the list by what they wait for.
  package var groups: [WaitSummary] = []

  package init(list: ListSummary, wait: WaitSummary, groups: [WaitSummary] = []) {
    (self.list, self.wait, self.groups) = (list, wait, groups)
  }

  package init() {}
  package static let fields: [Field] = [
    Field("list", \.list), Field("wait", \.wait), Field("groups", \.groups),
  ]
}
