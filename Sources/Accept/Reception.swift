// SPDX-License-Identifier: Apache-2.0
// What Accept needs of the others: numbers, a worker that reads lists, the record. The daemon joins
// them here. Every call comes from the inbox's own thread, one at a time.

package import Vocabulary

package protocol Reception: Sendable {
  /// A number that no list ever had, nor any folder of STATE/lists.
  func nextNumber() -> ListID

  /// Whether `accepted` is durably recorded of this number. True for as long as the list's folder may
  /// stand, finished lists included: a folder that says accepted and is not recorded is recorded anew.
  func isRecorded(_ list: ListID) -> Bool

  /// The list at work that this user dropped under this name with these very bytes, if any: a second
  /// copy of it is no list of its own.
  func twin(of name: FileName, owner: UInt32, sha256: String) -> ListID?

  /// To be told to people: a second copy of a list at work is out of the inbox.
  func repeated(_ name: FileName, of list: ListID)

  /// A worker reads the list and writes the catalog. `final`: it is no list as it is. Any other kind
  /// holds nothing against the file: it is tried again later.
  func readList(_ list: any OpenFile, catalog: any OpenFile) async throws(Failure)

  /// A list will be read soon, perhaps.
  func foresee()

  /// To be told to people: a worker died over a list. It is read once more, or (`isLast`) set aside.
  func workerDied(_ list: ListID, name: FileName, _ failure: Failure, isLast: Bool)

  /// Looks at the catalog, which is not trusted, and settles the terms of the list for good.
  func prepare(_ draft: ListDraft) async throws(Failure) -> ListTerms

  /// Records `accepted`; durable on return. Asked again for a number that is recorded, does nothing.
  func accept(_ list: ListID, _ acceptance: Acceptance, _ about: AboutFile) async throws(Failure)

  /// Records `rejected`; durable on return. After a crash in the wrong moment the same file may be
  /// turned away twice, under two numbers.
  func reject(_ list: ListID, name: FileName, _ failure: Failure) async throws(Failure)

  /// To be told to people. Called once for each ignored file, and again after a restart.
  func ignored(_ name: FileName, _ reason: IgnoredReason)

  /// To be told to people: a file begins to wait because this machine is in trouble (`machine`,
  /// `passing`) or because it may not be read (`final`). Called once, again when the reason changes, and
  /// with nil when it is over. Of very many waiting files only some are told.
  func waits(_ name: FileName, _ failure: Failure?)

  /// Why no more lists are let in now, where so many are at work or so little room is left; nil where
  /// they are. Asked before each, so it must be quick.
  func fullness() -> Failure?

  /// The inbox cannot be watched or read, or nothing is taken out of it (nil: all is well again). Running
  /// lists are not concerned.
  func inboxTroubled(_ failure: Failure?)

  /// To be told to people: what the inbox lies on, whenever it is another folder.
  /// The words end a sentence that begins with the inbox.
  func inboxSurveyed(_ nature: InboxNature, _ words: String)

  /// To be told to people: the kernel lost count of what happened, and all of so many names were looked
  /// through again.
  func inboxOverflowed(_ names: Int)

  /// A folder of STATE/lists could not be made sense of; it is kept as `.damaged-N`.
  func setAside(_ list: ListID, _ failure: Failure)

  /// A folder of STATE/lists cannot be read now; it is left as it is until the next start.
  func skipped(_ list: ListID, _ failure: Failure)
}

/// A list that was read but is not accepted yet.
package struct ListDraft: Sendable {
  package let list: ListID
  package let name: FileName
  /// The user who owns the dropped file.
  package let owner: UInt32
  /// Holds `list.plist` and `catalog`. It will be renamed: keep no path of it.
  package let folder: any Folder
  package let catalog: any OpenFile
}

/// What is frozen when a list is accepted.
package struct ListTerms: Equatable, Sendable {
  package let photos: UInt32
  package let serviceClass: ServiceClass
  /// Effective settings as `Key=value` lines.
  package let settings: String

  package init(photos: UInt32, serviceClass: ServiceClass, settings: String) {
    self.photos = photos
    self.serviceClass = serviceClass
    self.settings = settings
  }
}

extension Reception {
  package func foresee() {}
}
