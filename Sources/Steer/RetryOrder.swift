// SPDX-License-Identifier: Apache-2.0
// The parameters of `Retry`.

package struct RetryOrder: ControlMethod {
  package typealias Answer = ListReply

  package var list = ListReference("")
  /// Numbers, ranges of numbers such as `10-20`, and names; none for all photos that failed.
  package var photos: [String] = []

  package init(list: ListReference, photos: [String] = []) {
    (self.list, self.photos) = (list, photos)
  }

  package init() {}
  package static let fields: [Field] = [
    Field("list", \.list),
    Field("photos", \.photos, isOptional: true, where: { $0.count <= FocusOrder.mostWords }),
  ]
  package static let isChange = true
  package static let about = """
    Makes a new list with the same name, photos and settings, which takes over from this one: it has its
    prints, and does again what failed or is missing. With photos (numbers, ranges such as 10-20, and names,
    at most 1000 words), it tries again only those of them that failed; the others that failed stay failed.
    Returns the new list. Only for the owner of the list and root.
    """
}
