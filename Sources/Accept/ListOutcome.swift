// SPDX-License-Identifier: Apache-2.0
// What came of a list that is over, as its results tell it: the list as a whole here, its photos asked
// for one by one, in order, so that a long list is never in memory. Made by the daemon, who knows all.

package import Vocabulary

/// Asked where the results are written; may take its time.
package typealias OutcomeSource = @Sendable () throws(Failure) -> ListOutcome

package struct ListOutcome: Sendable {
  package let list: ListID
  /// As it was dropped, without its ending.
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
  /// The folder of the prints, in full.
  package let prints: String
  package let total: UInt32
  /// Photo by number, from 1 to `total`; asked for once each. `final` where the list's files are damaged.
  package let photo: @Sendable (UInt32) throws(Failure) -> PhotoOutcome

  package init(
    list: ListID, name: String, title: String, owner: UInt32, state: ListState, accepted: UInt64,
    ended: UInt64, serviceClass: ServiceClass, filter: FilterFunction, quality: PrintQuality,
    metadata: MetadataRule, prints: String, total: UInt32,
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
    self.prints = prints
    self.total = total
    self.photo = photo
  }
}

package struct PhotoOutcome: Equatable, Sendable {
  package enum Ending: Equatable, Sendable {
    case filtered(Print)
    /// `isListed`: the list itself is wrong there, so trying again changes nothing.
    case failed(code: String, reason: String, isListed: Bool)
    /// The list was cancelled before anything came of it.
    case new
    /// Its row of results is damaged or gone; the print, if there is one, is not.
    case unknown
  }

  /// What the list says for this photo alone, as a list says it.
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
  /// As the list has it; what is written holds no user name and no password.
  package let url: String
  package let options: Options
  package let ending: Ending
  package let attempts: UInt32
  /// What took no time did not take place.
  package let queuedMicroseconds: UInt32
  package let downloadMicroseconds: UInt32
  package let filterMicroseconds: UInt32
  package let outputMicroseconds: UInt32

  package init(
    name: String, url: String, options: Options = Options(), ending: Ending,
    attempts: UInt32 = 0,
    queuedMicroseconds: UInt32 = 0, downloadMicroseconds: UInt32 = 0,
    filterMicroseconds: UInt32 = 0, outputMicroseconds: UInt32 = 0
  ) {
    self.name = name
    self.url = url
    self.options = options
    self.ending = ending
    self.attempts = attempts
    self.queuedMicroseconds = queuedMicroseconds
    self.downloadMicroseconds = downloadMicroseconds
    self.filterMicroseconds = filterMicroseconds
    self.outputMicroseconds = outputMicroseconds
  }
}
