// SPDX-License-Identifier: Apache-2.0
// The places of the window, and how many an owner may have. Some are kept: an owner whose photos take long would
// fill the window, and the photos of all others would wait for them. Of the kept places an owner may have a quarter of
// what is left, and the first one while any is left. Plain values.

internal import Vocabulary

package struct WindowSize: Equatable, Sendable {
  /// The photos that are admitted at once.
  let photos: Int
  /// Places besides for photos more urgent than others in the window.
  let reserve: Int
  /// How many of the places are only for owners with few photos in the window.
  let kept: Int

  package init(photos: Int, reserve: Int, kept: Int) {
    self.photos = photos
    self.reserve = reserve
    self.kept = kept
  }
}

/// The rest of the window for the photos of one class.
struct WindowRoom {
  /// For every owner.
  private let common: Int
  /// For owners with few photos in the window.
  private let kept: Int

  init(_ size: WindowSize, _ seats: OwnerSeats, _ serviceClass: ServiceClass) {
    let rest = size.photos + size.reserve - seats.count
    common = min(rest, size.photos - seats.count(upTo: serviceClass)) - size.kept
    kept = min(rest, size.kept)
  }

  var isForAll: Bool { common > 0 }

  /// - Parameter photos: how many the owner has in the window, of all classes.
  func isFor(ownerWith photos: Int) -> Bool { isForAll || 4 * photos < kept }
}
