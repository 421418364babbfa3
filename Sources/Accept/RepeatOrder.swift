// SPDX-License-Identifier: Apache-2.0
// The wish to do an earlier list again, by `darkroomctl retry` or by its retry list. A value.

package import Vocabulary

package struct RepeatOrder: Equatable, Sendable {
  package let earlier: ListID
  package let owner: UInt32
  /// The photos to retry; all other failed photos stay failed. Nil to retry all failed or missing photos.
  package let photos: RetryChoice?
  /// Nil for the class of the earlier list.
  package let serviceClass: ServiceClass?
  /// The user who asked by command; nil for a retry list.
  package let user: UInt32?

  package init(
    _ earlier: ListID, of owner: UInt32, photos: RetryChoice? = nil,
    serviceClass: ServiceClass? = nil,
    by user: UInt32? = nil
  ) {
    self.earlier = earlier
    self.owner = owner
    self.photos = photos
    self.serviceClass = serviceClass
    self.user = user
  }
}
