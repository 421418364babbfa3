// SPDX-License-Identifier: Apache-2.0
// The outcome of a list, as its results report it. Photos are read one by one, in order, so that a long list
// is never in memory. The daemon supplies it.

package import Vocabulary

/// Called when the results are written; may be slow.
package typealias OutcomeSource = @Sendable () throws(Failure) -> ListOutcome

package struct ListOutcome: Sendable {
  /// Options that do not change a print.
  package struct Kept: Sendable {
    package let notify: PhotoURL?
    /// The prints are for the owner alone.
    package let isPrivate: Bool
    package let hasSheet: Bool?

    package init(notify: PhotoURL? = nil, isPrivate: Bool = false, hasSheet: Bool? = nil) {
      (self.notify, self.isPrivate, self.hasSheet) = (notify, isPrivate, hasSheet)
    }
  }

  package let list: ListID
  /// The dropped name without its suffix.
  package let name: String
  package let title: String
  package let owner: UInt32
  package let state: ListState
  /// Milliseconds since 1970, as all times here.
  package let accepted: UInt64
  package let ended: UInt64
  package let serviceClass: ServiceClass
  package let filter: FilterFunction
  package let quality: PrintQuality
  package let metadata: MetadataRule
  /// For its retry.
  package let kept: Kept
  /// The full path of the prints folder; nil if that is not in reach.
  package let prints: String?
  package let total: UInt32
  /// Returns a photo by number, from 1 to `total`; called once for each. Raises `final` if the list's files
  /// are damaged.
  package let photo: @Sendable (UInt32) throws(Failure) -> PhotoOutcome

  package init(
    list: ListID, name: String, title: String, owner: UInt32, state: ListState, accepted: UInt64,
    ended: UInt64, serviceClass: ServiceClass, filter: FilterFunction, quality: PrintQuality,
    metadata: MetadataRule, kept: Kept = Kept(), prints: String?, total: UInt32,
    photo: @escaping @Sendable (UInt32) throws(Failure) -> PhotoOutcome
  ) {
    self.list = list
    self.name = name
    self.title = title
    self.owner = owner
    self.state = state
    self.accepted = accepted
    self.ended = ended
    self.serviceClass = serviceClass
    self.filter = filter
    self.quality = quality
    self.metadata = metadata
    self.kept = kept
    self.prints = prints
    self.total = total
    self.photo = photo
  }
}

package struct PhotoOutcome: Equatable, Sendable {
  package enum Ending: Equatable, Sendable {
    case filtered(Print)
    /// `isListed`: the entry in the list is wrong, so a retry would fail again; or it is a dropped picture, which is
    /// given back itself.
    case failed(code: String, reason: String, isListed: Bool)
    /// The list was cancelled before the photo was done.
    case new
    /// The row of results is damaged or missing; a print may exist.
    case unknown
  }

  /// The options of this photo alone, written as in a list.
  package struct Options: Equatable, Sendable {
    package var sha256: String?
    package var filter: String?
    package var quality: String?
    package var metadata: String?
    package var serviceClass: String?

    package init() {}
  }

  package struct Print: Equatable, Sendable {
    package let name: String
    /// 64 hex digits.
    package let sha256: String
    package let bytes: UInt64
    package let width: UInt32
    package let height: UInt32

    package init(name: String, sha256: String, bytes: UInt64, width: UInt32, height: UInt32) {
      self.name = name
      self.sha256 = sha256
      self.bytes = bytes
      self.width = width
      self.height = height
    }
  }

  package let name: String
  /// As in the list; the results omit its user name and password.
  package let url: String
  package let ending: Ending
  package var options = Options()
  package var attempts: UInt32 = 0
  /// A step that took no time did not take place.
  package var queuedMicroseconds: UInt32 = 0
  package var downloadMicroseconds: UInt32 = 0
  package var filterMicroseconds: UInt32 = 0
  package var outputMicroseconds: UInt32 = 0

  package init(name: String, url: String, ending: Ending) {
    self.name = name
    self.url = url
    self.ending = ending
  }
}
