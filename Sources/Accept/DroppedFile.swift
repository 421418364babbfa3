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
