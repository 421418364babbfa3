// SPDX-License-Identifier: Apache-2.0
// The parameters of `Retry`.

package struct RetryOrder: MessageValue {
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
}
