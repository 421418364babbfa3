// SPDX-License-Identifier: Apache-2.0
// The places of the window, and how many an owner may have. Some places are kept, because an owner whose photos take
// long would fill the window, and the photos of all other owners would wait. Plain values.

import Queues
internal import Vocabulary

package struct WindowSize: Equatable, Sendable {
  /// The photos that are admitted at once.
  let photos: Int
  /// Extra places for photos that are more urgent than other photos in the window.
  let reserve: Int
  /// How many of the places are only for owners with few photos in the window.
  let kept: Int

  package init(photos: Int, reserve: Int, kept: Int) {
    self.photos = photos
    self.reserve = reserve
    self.kept = kept
  }
}

extension WindowRoom {
  /// The room for photos of one class.
  init(_ size: WindowSize, _ seats: OwnerSeats, _ serviceClass: ServiceClass) {
    let rest = size.photos + size.reserve - seats.count
    let common = min(rest, size.photos - seats.count(upTo: serviceClass)) - size.kept
    self.init(common: common, kept: min(rest, size.kept))
  }
}
