// SPDX-License-Identifier: Apache-2.0
// One change of a photo's or a list's state: the unit of the journal file and of reporting.
// Holds numbers, digests and short codes alone; names and URLs live in the catalog.

package struct Transition: Equatable, Sendable {
  /// Milliseconds since 1970; for people, no decision depends on it.
  package let time: UInt64
  package let change: Change
  /// The user who asked for it; nil for a change that darkroom makes by itself.
  package let user: UInt32?

  package init(time: UInt64, _ change: Change, by user: UInt32? = nil) {
    self.time = time
    self.change = change
    self.user = user
  }
}

package enum Change: Equatable, Sendable {
  case accepted(ListID, Acceptance)
  /// A dropped file was refused; it never became a list, but its number is used up.
  case rejected(ListID, code: String)
  case paused(ListID)
  case resumed(ListID)
  case cancelled(ListID)
  case finished(ListID)
  /// The files of a list that was over are gone, as its owner wanted.
  case removed(ListID)
  /// The class of the photos that set no class is another one from now on.
  case quality(ListID, ServiceClass)
  case downloaded(PhotoID, Contents)
  case filtered(PhotoID, Contents)
  case failed(PhotoID, Stage, code: String, attempt: UInt32)
  /// Another attempt follows: not before `until` (milliseconds since 1970), and at most `after`
  /// milliseconds after a restart.
  case retry(PhotoID, Stage, code: String, attempt: UInt32, after: UInt64, until: UInt64)
  /// An original is gone or damaged: the photo is new again.
  case lost(PhotoID)
  /// A worker died over this photo.
  case died(PhotoID)

  package var list: ListID {
    switch self {
    case .accepted(let list, _), .rejected(let list, _), .paused(let list), .resumed(let list),
      .cancelled(let list), .finished(let list), .removed(let list), .quality(let list, _):
      list
    case .downloaded(let photo, _), .filtered(let photo, _), .failed(let photo, _, _, _),
      .retry(let photo, _, _, _, _, _), .lost(let photo), .died(let photo):
      photo.list
    }
  }
}

/// The facts recorded when a list is accepted; its class may change later.
package struct Acceptance: Equatable, Sendable {
  package let photos: UInt32
  package var serviceClass: ServiceClass
  /// SHA-256 of the dropped bytes, in hex.
  package let sha256: String
  /// The user whose list it is; nil if the record names none.
  package let owner: UInt32?

  package init(photos: UInt32, serviceClass: ServiceClass, sha256: String, owner: UInt32? = nil) {
    self.photos = photos
    self.serviceClass = serviceClass
    self.sha256 = sha256
    self.owner = owner
  }
}

/// A file's size and the first 16 hex digits of its SHA-256.
package struct Contents: Hashable, Sendable {
  package let size: UInt64
  package let hash: UInt64

  package init(size: UInt64, hash: UInt64) {
    self.size = size
    self.hash = hash
  }
}
