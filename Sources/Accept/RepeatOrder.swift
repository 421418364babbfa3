// SPDX-License-Identifier: Apache-2.0
// The wish to do an earlier list again, by `darkroomctl retry` or by its retry list. A value.

package import Vocabulary

package struct RepeatOrder: Equatable, Sendable {
  package let earlier: ListID
  /// The photos to try again; of the others, those that failed stay failed. Nil for all that failed or are missing.
  package let photos: RetryChoice?
  /// Nil for the class of the earlier list.
  package let serviceClass: ServiceClass?

  package init(
    _ earlier: ListID, photos: RetryChoice? = nil, serviceClass: ServiceClass? = nil
  ) {
    self.earlier = earlier
    self.photos = photos
    self.serviceClass = serviceClass
  }
}
