// SPDX-License-Identifier: Apache-2.0
// The parameters of `Retry`.

package struct RetryOrder: MessageValue {
  package var list: ListReference
  /// Numbers, ranges of numbers such as `10-20`, and names; none for all photos that failed.
  package var photos: [String]

  package init(list: ListReference, photos: [String] = []) {
    self.list = list
    self.photos = photos
  }

  package init(_ fields: MessageFields) throws(FieldError) {
    list = ListReference(try fields.string("list"))
    photos = try FocusOrder.words(fields)
  }

  package var object: JSONObject {
    JSONObject(["list": .string(list.text), "photos": .array(photos.map { .string($0) })])
  }
}
