// SPDX-License-Identifier: Apache-2.0
// Makes a list of a dropped file, in an order that keeps promise one at every instant: what is gone
// from the inbox is durable here. Belongs to the inbox's thread. All trouble comes as an `Attempt`.
//
//  k  step                                             a crash after it: the next start …
//  1  open, lease, status; too large or empty: refused … finds the file in the inbox, begins anew
//  2  copy to lists/.staged-N/list.plist while hashing … removes .staged-N, begins anew
//  3  a worker reads the copy into .staged-N/catalog   … the same
//  4  about; sync list.plist, catalog, about, folder   … the same
//  5  rename .staged-N to N, sync lists                … N is not recorded, has no state: removes N
//  6  `accepted` is recorded                           … writes state, goes on at 8
//  7  lists/N/state = accepted                         … goes on at 8; records again what was lost
//  8  same inode, lease unbroken or contents equal     … inode, times and hash match N: goes on at 9
//  9  rename to .claim/N/NAME, sync both folders       … finds it in .claim/N, matches, goes on at 10
// 10  look again as in 8; unlink, remove .claim/N      … nothing is there: goes on at 11
// 11  lists/N/state = claimed                          … nothing left to do
//
// For a short file, 2 and 3 may be done ahead of 1, while it is too young to be tried: then 2 compares
// (Claim+Ahead). At 8 and 10 a changed file stays in, or goes back to, the inbox and is a new candidate; N stands.

internal import Linux
internal import Vocabulary

final class Claim {
  /// Only while it is looked at: else another folder stands here, so that it may be unmounted.
  var inbox: any Folder
  /// Whether a lease that is held proves a file whole.
  var trustsLeases = true
  let lists: any Folder
  let archive: Archive
  let quarantine: Quarantine
  let reception: any Reception
  let bridge: ThreadBridge
  let clock: any Timekeeper
  let settings: InboxSettings
  /// Lists whose dropped file may still be in the inbox; not recorded yet, or recorded.
  private(set) var drops: [ListID: AboutFile] = [:]
  /// Files that are recorded as rejected but could not be taken out of the inbox yet.
  var rejections: [ListID: Rejection] = [:]
  /// Lists whose folder could not be read, and people know.
  private var skipped: Set<ListID> = []
  private var spare: ListID?
  /// Made before its file may be tried.
  var laidOut: StagedList?
  var pace: AheadPace
  /// What a worker said of bytes that were read ahead and are no list.
  var verdict: (sum: FileCopy.Sum, failure: Failure)?
  /// Workers that died over lists, and how the last one did, by the SHA-256 of the lists' bytes.
  var died: [String: (count: Int, words: String)] = [:]

  init(
    inbox: any Folder, lists: any Folder, archive: Archive, quarantine: Quarantine,
    reception: any Reception, bridge: ThreadBridge, clock: any Timekeeper, settings: InboxSettings
  ) {
    self.inbox = inbox
    self.lists = lists
    self.archive = archive
    self.quarantine = quarantine
    self.reception = reception
    self.bridge = bridge
    self.clock = clock
    self.settings = settings
    pace = AheadPace(settings)
  }

  func attempt(_ candidate: Candidate, _ proof: Proof) -> Attempt {
    do throws(Attempt) { return try take(candidate, proof) } catch { return error }
  }

  func probe(_ candidate: Candidate) -> Probe {
    do throws(SystemError) {
      return Original.probe(candidate, in: try folder(of: candidate.key.place))
    } catch {
      return error.isMissing ? .missing : .troubled(error.machine)
    }
  }

  private func take(_ candidate: Candidate, _ proof: Proof) throws(Attempt) -> Attempt {
    let original = try open(candidate, proof)
    defer { original.release() }
    if let list = try turnedAway(original) { return .rejected(list) }
    if let (list, about) = try known(original) {
      return try complete(list, about, original) == .changed ? .changed : .finished(list)
    }
    if let failure = reception.fullness() { throw .full(failure) }
    try checkSize(original)
    let list = number()
    let about: AboutFile
    do throws(Attempt) {
      about = try stage(list, original)
    } catch {
      try? lists.removeFlat(ListFolder.staged(list))
      throw error
    }
    // From here on the number is the list's: another one would make two lists of one drop.
    spare = nil
    drops[list] = about
    return try complete(list, about, original) == .changed ? .changed : .accepted(list)
  }

  func open(_ candidate: Candidate, _ proof: Proof) throws(Attempt) -> Original {
    let folder: any Folder
    // Nothing is begun that could not leave the inbox in the end.
    do throws(SystemError) {
      _ = try ClaimFolder(inbox: inbox).standing()
    } catch { throw .troubled(InboxTrouble.claim(inbox.path, error)) }
    do throws(SystemError) {
      folder = try self.folder(of: candidate.key.place)
    } catch { throw error.isMissing ? .missing : .troubled(error.machine) }
    return try Original(candidate, in: folder, proof, trustsLeases: trustsLeases)
  }

  private func folder(of place: Candidate.Place) throws(SystemError) -> any Folder {
    switch place {
    case .inbox: inbox
    case .claim(let list):
      try inbox.folder(ClaimFolder.name, creating: false)
        .folder(ListFolder.name(list), creating: false)
    }
  }

  private func checkSize(_ original: Original) throws(Attempt) {
    if original.status.size == 0 {
      throw .refused(
        Failure(
          .final, code: "list.empty", reason: "the file is empty",
          advice: "Write a property list into it that names photos and their URLs"), original.proof)
    }
    if original.status.size > settings.maximumListSize {
      throw .refused(Self.tooLarge(original.status, settings), original.proof)
    }
  }

  static func tooLarge(_ status: FileStatus, _ settings: InboxSettings) -> Failure {
    Failure(
      .final, code: "list.size",
      reason: "the file has \(status.size) bytes; at most \(settings.maximumListSize) are read",
      advice: "Split the list, or raise MaximumListSize= in darkroomd.conf")
  }

  /// A number is used up only by a list that is accepted or rejected.
  func number() -> ListID {
    if let spare { return spare }
    let list = reception.nextNumber()
    spare = list
    return list
  }

  func numberIsUsed() {
    spare = nil
    clearLayout()
  }

  /// Takes a file out of the inbox whose list is accepted; does not accept anything.
  func finish(_ candidate: Candidate) -> Attempt {
    do throws(Attempt) {
      let original = try open(candidate, .lease)
      defer { original.release() }
      guard let (list, about) = try known(original) else { return .changed }
      return try complete(list, about, original) == .changed ? .changed : .finished(list)
    } catch { return error }
  }

  func remember(_ list: ListID, _ about: AboutFile) { drops[list] = about }
  func forget(_ list: ListID) { drops[list] = nil }

  func skip(_ list: ListID, _ failure: Failure) {
    if skipped.insert(list).inserted { reception.skipped(list, failure) }
  }
}
