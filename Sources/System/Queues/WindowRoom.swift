// SPDX-License-Identifier: Apache-2.0
// How many of several places an owner may have. Some places are kept for owners with few places, because an owner
// whose photos or transfers take long would fill all places. An owner may have a quarter of the kept places that are
// left, and always a first one while any is left. A plain value.

/// The rest of the window, or of the places of a host.
package struct WindowRoom {
  /// For every owner.
  private let common: Int
  /// For owners with few places.
  private let kept: Int

  package init(common: Int, kept: Int) {
    self.common = common
    self.kept = kept
  }

  /// A quarter of the places of a host is kept.
  /// - Parameter rest: how many are free.
  package init(rest: Int, ofHostWith places: Int) {
    let kept = places / 4
    self.init(common: rest - kept, kept: min(rest, kept))
  }

  package var isForAll: Bool { common > 0 }

  /// - Parameter places: how many the owner has, of all classes.
  package func isFor(ownerWith places: Int) -> Bool { isForAll || 4 * places < kept }
}
