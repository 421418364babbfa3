// SPDX-License-Identifier: Apache-2.0
// The calls of a page on which people look at a list, and their replies: a token for a viewer, the right that it is
// exchanged for, the states of all photos, the colours of an overview, the search for a name, and the pictures.

package import Linux

package struct OpenReport: MessageValue {
  package var list = ListSummary()
  /// Good for one `Redeem`, within two minutes.
  package var token = ""

  package init(list: ListSummary, token: String) { (self.list, self.token) = (list, token) }

  package init() {}
  package static let fields: [Field] = [Field("list", \.list), Field("token", \.token)]
}

package struct RedeemOrder: ControlMethod {
  package typealias Answer = RedeemReport

  package var token = ""

  package init(token: String) { self.token = token }

  package init() {}
  package static let fields: [Field] = [Field("token", \.token)]
  package static let about = """
    Exchanges a token for a view of the user for whom it was made. It lasts for that number of seconds, also after
    a restart.
    """
}

package struct RedeemReport: MessageValue {
  package var list: UInt64 = 0
  /// For whom the token was made.
  package var user: UInt32 = 0
  /// The right to look at the list; see `ViewRight`.
  package var view = ""
  package var seconds: UInt32 = 0

  package init(list: UInt64, user: UInt32, view: String, seconds: UInt32) {
    (self.list, self.user, self.view, self.seconds) = (list, user, view, seconds)
  }

  package init() {}
  package static let fields: [Field] = [
    Field("list", \.list), Field("user", \.user), Field("view", \.view),
    Field("seconds", \.seconds),
  ]
}

package struct StatesOrder: ControlMethod {
  package typealias Answer = StatesReport

  /// Bounds the memory of a call: a page of a million photos makes many calls, one after another.
  package static let highestLimit: UInt32 = 65_536

  package var list = ListReference("")
  package var offset: UInt32 = 0
  /// 0 for the list alone.
  package var limit = highestLimit

  package init(list: ListReference, offset: UInt32 = 0, limit: UInt32 = Self.highestLimit) {
    (self.list, self.offset, self.limit) = (list, offset, min(limit, Self.highestLimit))
  }

  package init() {}
  package static let fields: [Field] = [
    Field("list", \.list), Field("offset", \.offset, isOptional: true),
    Field("limit", \.limit, isOptional: true, where: { $0 <= highestLimit }),
  ]
  package static let about = """
    The states of photos in file order, a digit for each: 0 new, 1 downloaded, 2 filtered, 3 failed, 4 unknown. limit
    is at most 65536, which is the default. Follow continues after 'record'. mayFocus tells if the caller may call Focus.
    """

  package var viewed: ListReference? { list }
}

package struct StatesReport: MessageValue {
  package var list = ListSummary()
  /// `Follow` continues after this record.
  package var record: UInt64 = 0
  /// A digit for each photo: 0 new, 1 downloaded, 2 filtered, 3 failed, 4 unknown, because its result is lost.
  package var states = ""
  /// The caller may change the order of its photos.
  package var mayFocus = false

  package init(
    list: ListSummary, record: UInt64, states: String = "", mayFocus: Bool = false
  ) {
    (self.list, self.record, self.states, self.mayFocus) = (list, record, states, mayFocus)
  }

  package init() {}
  package static let fields: [Field] = [
    Field("list", \.list), Field("record", \.record), Field("states", \.states),
    Field("mayFocus", \.mayFocus),
  ]
}

/// A list in groups of photos that follow each other, of equal size as far as possible.
package struct ColoursOrder: ControlMethod {
  package typealias Answer = ColoursReport

  package static let mostGroups: UInt32 = 2048

  package var list = ListReference("")
  package var groups: UInt32 = 0

  package init(list: ListReference, groups: UInt32) { (self.list, self.groups) = (list, groups) }

  package init() {}
  package static let fields: [Field] = [
    Field("list", \.list), Field("groups", \.groups, where: { 1...mostGroups ~= $0 }),
  ]
  package static let about = """
    The colours of an overview of the list, in at most 2048 groups of photos that follow each other: of one print of
    each group four times three colours, row by row, each three hexadecimal digits. Empty for a group without one.
    """

  package var viewed: ListReference? { list }
}

package struct ColoursReport: MessageValue {
  /// For each group the colours of one of its prints: four times three of them, row by row, each three hexadecimal
  /// digits for red, green and blue. Empty for a group without a known one.
  package var groups: [String] = []

  package init(groups: [String]) { self.groups = groups }

  package init() {}
  package static let fields: [Field] = [Field("groups", \.groups)]
}

package struct FindOrder: ControlMethod {
  package typealias Answer = FindReport

  package var list = ListReference("")
  /// Part of a name, in upper or lower case.
  package var text = ""
  /// The search begins behind this photo.
  package var after: UInt32 = 0

  package init(list: ListReference, text: String, after: UInt32 = 0) {
    (self.list, self.text, self.after) = (list, text, after)
  }

  package init() {}
  package static let fields: [Field] = [
    Field("list", \.list), Field("text", \.text, where: { !$0.isEmpty }),
    Field("after", \.after, isOptional: true),
  ]
  package static let about = """
    The first photo behind 'after' with this text in its name, in upper or lower case. Without one, a reply with
    'more' tells how far the search came.
    """

  package var viewed: ListReference? { list }
}

package struct FindReport: MessageValue {
  package var photo: UInt32?
  /// Nothing was found up to here; the search can continue. Nil at the end of the list.
  package var more: UInt32?

  package init(photo: UInt32? = nil, more: UInt32? = nil) {
    (self.photo, self.more) = (photo, more)
  }

  package init() {}
  package static let fields: [Field] = [Field("photo", \.photo), Field("more", \.more)]
}

package struct PictureOrder: ControlMethod {
  package typealias Answer = PictureReport

  package var list = ListReference("")
  package var photo: UInt32 = 0
  package var isThumbnail = false

  package init(list: ListReference, photo: UInt32, isThumbnail: Bool = false) {
    (self.list, self.photo, self.isThumbnail) = (list, photo, isThumbnail)
  }

  package init() {}
  package static let fields: [Field] = [
    Field("list", \.list), Field("photo", \.photo, where: { $0 > 0 }),
    Field("thumbnail", \.isThumbnail, isOptional: true),
  ]
  package static let about = """
    A print or its thumbnail, for those who may look at the list. The open file comes as a descriptor beside the
    reply (SCM_RIGHTS). Without a picture, or when a later list has taken over the prints, there is no type and no
    file.
    """

  package var viewed: ListReference? { list }
}

/// The caller may be a process that cannot open the file.
package struct PictureReport: MessageValue {
  /// `image/jpeg` or `image/png`; nil without such a picture.
  package var type: String?
  /// Goes beside the message.
  package var openFile: LinuxFile?

  package init(type: String? = nil, file: LinuxFile? = nil) {
    (self.type, openFile) = (type, file)
  }

  package init() {}
  package static let fields: [Field] = [Field("type", \.type)]

  package static func == (one: PictureReport, other: PictureReport) -> Bool {
    one.type == other.type && one.openFile === other.openFile
  }
}
