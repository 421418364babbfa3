// SPDX-License-Identifier: Apache-2.0
// How long lists and prints would be kept, in a question about the prints and lists that such settings remove.

package struct ForecastOrder: ControlMethod {
  package typealias Answer = NotesReply

  package var keepLists = Duration.zero
  /// Nil if no prints are removed.
  package var keepPrints: Duration?

  package init(keepLists: Duration, keepPrints: Duration?) {
    (self.keepLists, self.keepPrints) = (keepLists, keepPrints)
  }

  /// The longest time that a setting allows fits into this.
  private static let most = Duration.milliseconds(1 << 40)

  package init() {}
  package static let fields: [Field] = [
    Field("keepLists", \.keepLists, where: { $0 <= most }),
    Field("keepPrints", \.keepPrints, where: { $0 ?? .zero <= most }),
  ]
  package static let about = """
    Names the prints and lists that these settings would remove soon. Milliseconds; without keepPrints, no prints are
    removed. Only for root and the daemon's user.
    """
}
