// SPDX-License-Identifier: Apache-2.0
// The parameters of `Show` and its reply: one list and a page of its photos in file order.

package import Vocabulary

package struct ShowOrder: ControlMethod {
  package typealias Answer = ShowReport

  package static let highestLimit: UInt32 = 1000
  /// The most photos of a page whose prints are read.
  package static let mostVerified: UInt32 = 8

  package var list = ListReference("")
  /// The number of photos to skip at the head of the list.
  package var offset: UInt32 = 0
  /// The most photos in the reply; 0 for the list alone.
  package var limit: UInt32 = 100
  /// Only photos in this state.
  package var state: SeenState?
  /// Reads the prints of the page, if they are in a store, and compares them with the record.
  package var verifies = false

  package init(
    list: ListReference, offset: UInt32 = 0, limit: UInt32 = 100, state: SeenState? = nil
  ) {
    (self.list, self.offset) = (list, offset)
    self.limit = min(limit, Self.highestLimit)
    self.state = state
  }

  package init() {}
  package static let fields: [Field] = [
    Field("list", \.list), Field("offset", \.offset, isOptional: true),
    Field("limit", \.limit, isOptional: true, where: { $0 <= highestLimit }),
    Field("state", \.state), Field("verifies", \.verifies, isOptional: true),
  ]
  package static let isStream = true
  package static let about = """
    One list and a page of its photos in file order. limit is at most 1000; the default is 100. With
    'more' set in the call, a reply follows each change of the list, until it is finished or cancelled.
    A reply with 'more' has further photos: pass the value as the offset of the next call. A page of long texts
    ends after about 1 MiB, with fewer photos than asked for. prints is the
    folder of the list's prints, or their URL in a store, and null while they are out of reach. sha256 is
    that of a print, as it was recorded.
    With 'verifies', for the owner of the list and root, the daemon reads the prints that are in a store,
    and each photo has a finding; limit is then at most 8.
    """

  /// More than the text of a photo in a reply.
  private static let photo = 32 << 10

  package func room(_ limits: ControlLimits) -> Int {
    min(ControlLimits.page, Int(limit) * Self.photo)
  }

  package var viewed: ListReference? { list }

  package func check() throws(BadMessage) {
    guard !verifies || limit <= Self.mostVerified else { throw .member("limit") }
  }
}

package struct ShowReport: MessageValue {
  package var list = ListSummary()
  package var photos: [PhotoSummary] = []
  /// The offset of the next page; nil after the last page.
  package var more: UInt32?
  /// The full path of the list's prints, or their URL in a store; nil if only the list was asked for.
  package var prints: String?

  package init(list: ListSummary, photos: [PhotoSummary] = [], more: UInt32? = nil) {
    (self.list, self.photos, self.more) = (list, photos, more)
  }

  package init() {}
  package static let fields: [Field] = [
    Field("list", \.list), Field("photos", \.photos), Field("more", \.more),
    Field("prints", \.prints),
  ]

  /// The order for the next page; nil after the last one. It names the list by its number: at the next page
  /// the name may mean another list.
  package func page(after order: ShowOrder) -> ShowOrder? {
    guard let more, more > order.offset else { return nil }
    var next = order
    next.list = ListReference("\(list.id)")
    next.offset = more
    return next
  }

  /// The order for the rest of a page that ended early, because it was long; nil if it is whole.
  package func rest(of order: ShowOrder) -> ShowOrder? {
    guard order.state == nil, var next = page(after: order) else { return nil }
    let (end, isOver) = order.offset.addingReportingOverflow(order.limit)
    guard !isOver, next.offset < end else { return nil }
    next.limit = end - next.offset
    return next
  }

  /// The page behind one that is asked for and has photos in every state; nil after the last one.
  package func page(behind order: ShowOrder) -> ShowOrder? {
    let (offset, isOver) = order.offset.addingReportingOverflow(order.limit)
    guard !isOver, offset < list.total else { return nil }
    var next = order
    next.offset = offset
    return next
  }
}
