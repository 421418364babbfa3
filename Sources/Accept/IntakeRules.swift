// SPDX-License-Identifier: Apache-2.0
// The parts of the daemon that Accept uses: numbers, a worker that reads lists, the record. Every call comes
// from the inbox's thread; several lists may be in progress at once.

package import Files
package import Vocabulary

package protocol IntakeRules: Sendable {
  /// A copy of pictures that is let in keeps its room there.
  var copies: CopyRoom { get }

  /// A number that neither a list nor a folder of STATE/lists has ever had.
  func nextNumber() -> ListID

  /// True if `accepted` is durably recorded for this number. Stays true as long as the list's folder may
  /// exist, even for finished lists: an accepted folder without a record is recorded again.
  func isRecorded(_ list: ListID) -> Bool

  /// The state of this machine that decides what is let in now. Asks the disks, so once for each look at the inbox and
  /// for each claim. Nil at a stop, which waits for no disk that hangs.
  func standing() async -> IntakeStanding?

  /// Why no list of this user is let in now that needs a copy of `bytes`, with `lists` others let in that are not recorded
  /// yet; nil if it is. `final` means that only the user, or an administrator, can change that. Called for each user and
  /// file that waits, so it asks no disk. The room that `copies` has promised is not left.
  func fullness(
    for user: UInt32, besides lists: Int, adding bytes: UInt64, on standing: IntakeStanding
  ) -> Failure?

  /// The size of a picture above which its photo would fail. Asked at each look, because a reload may change it.
  func largestPicture() -> UInt64

  /// The list in progress with this name, owner and contents, if any. A second copy does not become another
  /// list.
  func twin(of name: FileName, owner: UInt32, sha256: String) -> ListID?

  /// A list of this user may need a worker soon.
  func foresee(for user: UInt32)

  /// A worker reads the list and writes the catalog. A `final` failure means that the contents are not a
  /// list; after any other the file is tried again later.
  func readList(
    _ list: any OpenFile, of owner: UInt32, catalog: any OpenFile
  ) async throws(Failure)

  /// Checks the catalog, which is not trusted, and fixes the terms of the list.
  func prepare(_ draft: ListDraft) async throws(Failure) -> ListTerms

  /// The list to be repeated, if the draft is its retry list; nil for any other draft. Call after `prepare`.
  func continuation(of draft: ListDraft) async throws(Failure) -> RepeatOrder?

  /// As `prepare`, for a list that repeats an earlier one: it keeps the terms, and takes over from it. A `final`
  /// failure means that it cannot, as another has already.
  func prepare(
    _ draft: ListDraft, again order: RepeatOrder, _ terms: ListTerms
  ) async throws(Failure) -> ListTerms

  /// Equal for lists that would print into one folder, if it is free: they are prepared one after another.
  func folderKey(of name: ListName) -> String

  /// The folders that `prepare` has made for the draft, to be made durable with its files.
  func claimed(_ list: ListID) -> [SyncStep]

  /// The claim is over: the list has left the inbox, or its number does not become a list, or not now. Frees all that
  /// `prepare` noted for its draft; a list that is recorded keeps its folders.
  func giveUp(_ list: ListID) async

  /// Records `accepted`; durable on return. Does nothing for a number that is recorded already. `user` asked for it
  /// by command.
  func accept(
    _ list: ListID, _ acceptance: Acceptance, _ about: AboutFile, by user: UInt32?
  ) async throws(Failure)

  /// Records `rejected`; durable on return. After a crash the same file may be rejected twice, under two
  /// numbers.
  func reject(
    _ list: ListID, name: FileName, owner: UInt32, _ failure: Failure
  ) async throws(Failure)

  /// Reports news to people.
  func tell(_ news: InboxNews)
}

extension IntakeRules {
  /// The same for a claim, which may begin long after the look. `cancelled` at a stop. `lists` are counted after the disks
  /// have answered: others may have been let in meanwhile.
  package func fullness(
    for user: UInt32, besides lists: @autoclosure () -> Int, adding bytes: UInt64
  ) async -> Failure? {
    guard let standing = await standing() else { return .cancelled }
    return fullness(for: user, besides: lists(), adding: bytes, on: standing)
  }
}

/// The findings of one look at the disks.
package struct IntakeStanding: Equatable, Sendable {
  /// Why a list that is accepted now would be lost.
  package var record: Failure?
  /// Why no list is let in, whosever it is.
  package var machine: Failure?
  /// The bytes that are left for copies of pictures, and those that an empty disk would have.
  package var left: UInt64 = .max
  package var most: UInt64 = .max
  /// The disk of the copies.
  package var device: UInt64 = 0

  package init(
    record: Failure? = nil, machine: Failure? = nil, left: UInt64 = .max, most: UInt64 = .max,
    device: UInt64 = 0
  ) {
    (self.record, self.machine) = (record, machine)
    (self.left, self.most, self.device) = (left, most, device)
  }

  package var trouble: Failure? { record ?? machine }
}

extension Failure {
  /// A list takes over from lower numbers only, and a number that was drawn ahead may be too low. The next attempt draws
  /// a higher one, and sees no list or prints that are being removed. Users can cause it with lists of one name: it
  /// concerns them alone.
  package static let late = Failure(
    .passing, code: "list.late",
    reason:
      "a newer list of that name has been accepted, or the earlier one or its prints removed, in the meantime"
  )

  var isLate: Bool { code == Self.late.code }
}

package enum InboxNews: Equatable, Sendable {
  /// A second copy of a list in progress has left the inbox.
  case repeated(FileName, ListID, owner: UInt32)
  /// A worker died reading a list. The list is read again or, after the last death, set aside.
  case workerDied(ListID, FileName, Failure, isLast: Bool)
  /// Once for each ignored file, and again after a restart.
  case ignored(FileName, IgnoredReason)
  /// Files that lay among the pictures of a list, and stay in the inbox.
  case left([Roll.Remainder])
  /// A file begins to wait because this machine is in trouble (`machine`, `passing`) or because the daemon
  /// cannot take it (`final`). Reported once, again when the reason changes, and with nil when the wait is
  /// over. Only some of very many waiting files are reported.
  case waits(FileName, Failure?)
  /// Files in the inbox wait because of a limit on all files, or on the files or the lists of one user (`final`); nil when
  /// that is over.
  case crowded(InboxCrowd, Failure?)
  /// The inbox cannot be watched or read, or no file may leave it; nil when that is over. While it is closed, a file
  /// in it is not seen, or cannot become a list. Running lists are not affected.
  case troubled(Failure?, isClosed: Bool)
  /// The file system of the inbox, reported when it changes. The words complete a sentence that begins with
  /// the inbox.
  case surveyed(InboxNature, String)
  /// The kernel's event queue overflowed; a full sweep looked at this many names.
  case overflowed(Int)
  /// A folder of STATE/lists has a damaged `about` and no record; it is kept as `.damaged-N`.
  case setAside(ListID, Failure)
  /// A folder of STATE/lists cannot be read now; it is left as it is until the next start.
  case skipped(ListID, Failure)
  /// The waiting files or their reasons have changed.
  case changed(InboxCounts)
}

/// The numbers of files in the inbox that may become lists.
package struct InboxCounts: Equatable, Sendable {
  /// Unreadable files included.
  package var waiting: Int
  package var unreadable: Int

  package init(waiting: Int = 0, unreadable: Int = 0) {
    self.waiting = waiting
    self.unreadable = unreadable
  }
}

/// A list that was read but is not accepted yet.
package struct ListDraft: Sendable {
  package let list: ListID
  package let name: FileName
  /// The user who owns the dropped file.
  package let owner: UInt32
  /// Holds `list.plist` and `catalog`. It will be renamed: do not keep its path.
  package let folder: any Folder
  package let catalog: any OpenFile
  /// It was made of dropped pictures: it takes over from no list, and no list from it.
  package var isRoll = false
}

/// The terms that are fixed when a list is accepted.
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
