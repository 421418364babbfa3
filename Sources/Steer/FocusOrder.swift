// SPDX-License-Identifier: Apache-2.0
// The parameters of `Focus` and `Unfocus`, and their reply.

package struct FocusOrder: ControlMethod {
  package typealias Answer = FocusReport

  package static let mostWords = 1000
  package static let longestViewer = 64
  package static let longestLease: UInt32 = 3600

  package var list = ListReference("")
  /// Numbers, ranges of numbers such as `10-20`, and names; none for the first photos that are not done.
  package var photos: [String] = []
  /// Tells the viewers of one user apart.
  package var viewer = ""
  /// The length of the lease.
  package var seconds: UInt32 = 60

  package init(
    list: ListReference, photos: [String] = [], viewer: String = "", seconds: UInt32 = 60
  ) {
    (self.list, self.photos, self.viewer) = (list, photos, viewer)
    self.seconds = min(seconds, Self.longestLease)
  }

  package init() {}
  package static let fields: [Field] = [
    Field("list", \.list),
    Field("photos", \.photos, isOptional: true, where: { $0.count <= mostWords }),
    Field("viewer", \.viewer, isOptional: true, where: isViewer),
    Field("seconds", \.seconds, isOptional: true, where: { 1...longestLease ~= $0 }),
  ]
  package static let about = """
    The named photos go first within the share of the list's owner, until the lease ends: at most 3600
    seconds, 60 by default. They are numbers, ranges such as 10-20, and names, at most 1000 photos in all; a photo
    whose name is longer than a string may be has its number;
    without any, the first photos that are not done. A running transfer that another one can continue makes
    room. viewer, of at most 64 bytes, tells the viewers of one user apart: each has one focus on a list,
    which a new call replaces and renews, and viewers take turns. Nothing of it is recorded. Returns how many
    photos were named, how many of them are not done, and the end of the lease. Only for the list's owner
    and root, as is Unfocus. In a cluster, both take the name of a list at work that was dropped at another
    node; its photos are named by their numbers then.
    """

  package var viewed: ListReference? { list }

  private static let isViewer: @Sendable (String) -> Bool = {
    $0.utf8.count <= longestViewer && !$0.utf8.contains(0)
  }
}

package struct FocusReport: MessageValue {
  package var list = ListSummary()
  /// How many photos were named; 0 after `Unfocus`.
  package var photos: UInt32 = 0
  /// How many photos are neither filtered nor failed.
  package var left: UInt32 = 0
  /// The end of the lease, in milliseconds since 1970; 0 after `Unfocus`.
  package var until: UInt64 = 0

  package init(list: ListSummary, photos: UInt32 = 0, left: UInt32 = 0, until: UInt64 = 0) {
    (self.list, self.photos, self.left, self.until) = (list, photos, left, until)
  }

  package init() {}
  package static let fields: [Field] = [
    Field("list", \.list), Field("photos", \.photos), Field("left", \.left),
    Field("until", \.until),
  ]
}
