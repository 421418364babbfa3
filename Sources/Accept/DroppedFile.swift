// SPDX-License-Identifier: Apache-2.0
// A dropped file, open, and under a read lease if the kernel grants one. Opening never blocks on a FIFO or a
// device and never follows a link. `init` raises the `Attempt` that tells why the file cannot be taken; later
// checks raise SystemError.

internal import Files
internal import Linux
internal import Vocabulary

struct DroppedFile {
  let candidate: Candidate
  let folder: any Folder
  let file: any OpenFile
  let hasLease: Bool

  var status: FileStatus { candidate.status }
  var name: FileName { candidate.name }
  var proof: Proof { hasLease ? .lease : .quiet }

  /// Asks for a lease even where leases are not trusted: it still reveals writers on this machine.
  init(
    _ candidate: Candidate, in folder: any Folder, _ proof: Proof, trustsLeases: Bool = true
  ) throws(Attempt) {
    self.candidate = candidate
    self.folder = folder
    file = try Self.open(candidate.name, in: folder)
    let thing = "\(folder.path)/\(candidate.name)"
    // The lease first, then the status: no write can come between.
    let answer: FileLease.Answer
    let status: FileStatus
    do throws(SystemError) {
      answer = try FileLease.take(file, thing)
      status = try file.status()
    } catch { throw error.attempt(closed: Self.closed) }
    if answer == .held, !trustsLeases { FileLease.drop(file) }
    hasLease = answer == .held && trustsLeases
    if answer == .writer { throw .writer }
    guard status == candidate.status, hasLease || proof == .quiet else {
      release()
      throw .changed
    }
  }

  /// Drops the lease, so that a waiting writer can continue.
  func release() { if hasLease { FileLease.drop(file) } }

  /// True if the file is unchanged since it was opened, by its lease or else by its size and time of change.
  func isUntouched() throws(SystemError) -> Bool {
    if hasLease { return try FileLease.stands(file, "\(folder.path)/\(name)") }
    let now = try file.status()
    return now.size == status.size && now.modified == status.modified
  }

  /// True if the contents still have this sum. A broken lease counts as a change: a writer is waiting.
  func isStill(_ sum: FileCopy.Sum) async throws(SystemError) -> Bool {
    guard try isUntouched() else { return false }
    return hasLease ? true : try await LongFiles.has(file, sum)
  }

  /// Probes for writers with a read lease, which it drops at once.
  static func probe(_ candidate: Candidate, in folder: any Folder) -> Probe {
    let file: any OpenFile
    do throws(Attempt) { file = try open(candidate.name, in: folder) } catch {
      return Probe(error)
    }
    defer { FileLease.drop(file) }
    do throws(SystemError) {
      let answer = try FileLease.take(file, "\(folder.path)/\(candidate.name)")
      return switch answer {
      case .held: .noWriter
      case .writer: .writer
      case .unavailable: .unknown
      }
    } catch { return Probe(error.attempt(closed: closed)) }
  }

  private static func open(_ name: FileName, in folder: any Folder) throws(Attempt) -> any OpenFile
  {
    try asUsers(closed: closed) { () throws(SystemError) in try folder.open(name, .read) }
  }

  /// Raises `unreadable` if another user may have given the file this name, and would act as its owner: the kernel lets
  /// users link the files of others that they may write. As long as the file has one name, it has none that such a user
  /// gave it. A name that comes after the check does not change what is copied.
  static func checkNames(_ status: FileStatus) throws(Attempt) {
    guard status.links > 1, status.mode & othersMayWrite != 0 else { return }
    throw .unreadable(
      Failure(
        .final, code: "list.linked",
        reason: "it has \(status.links) names (hard links), and users other than its owner may "
          + "write to it, so one of them may have put it here",
        advice: "Remove it from the inbox if you did not put it there. "
          + "If you did, drop a copy (cp) in its place"))
  }

  /// The bits of the group and of all others. With an access control list, the bits of the group are its mask.
  private static let othersMayWrite: UInt32 = 0o022

  /// The words for the owner of the file.
  static func closed(_ error: SystemError) -> Failure {
    let isForbidden = error.name == .notPermitted || error.name == .denied
    let way = "drop it again with darkroomctl submit"
    return Failure(
      .final, code: "list.unreadable",
      reason: "the daemon \(isForbidden ? "may not" : "cannot") read it: "
        + Printable.text(error.description),
      advice: isForbidden
        ? "Allow the daemon to read it (setfacl -m u:\(Surroundings.ownName):r), or \(way)"
        : "Take it out of the inbox, or \(way)")
  }
}
