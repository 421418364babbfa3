// SPDX-License-Identifier: Apache-2.0
// A dropped file, opened and, where it can be had, under a read lease. Opening never blocks (a FIFO,
// a device) and never follows a link. Raises the `Attempt` that says why it cannot be had.

internal import Linux
internal import Vocabulary

struct Original {
  let candidate: Candidate
  let folder: any Folder
  let file: any OpenFile
  let hasLease: Bool

  var status: FileStatus { candidate.status }
  var name: FileName { candidate.name }
  var proof: Proof { hasLease ? .lease : .quiet }

  /// Where leases are not trusted, one is asked for all the same: who writes on this machine is told.
  init(
    _ candidate: Candidate, in folder: any Folder, _ proof: Proof, trustsLeases: Bool = true
  ) throws(Attempt) {
    self.candidate = candidate
    self.folder = folder
    file = try Self.open(candidate.name, in: folder)
    let thing = "\(folder.path)/\(candidate.name)"
    // The lease first, then the status: nobody writes in between.
    let answer: FileLease.Answer
    let status: FileStatus
    do throws(SystemError) {
      answer = try FileLease.take(file, thing)
      status = try file.status()
    } catch { throw .troubled(error.machine) }
    if answer == .held, !trustsLeases { FileLease.drop(file) }
    hasLease = answer == .held && trustsLeases
    if answer == .writer { throw .writer }
    guard status == candidate.status, hasLease || proof == .quiet else {
      release()
      throw .changed
    }
  }

  /// Lets a writer go on who waits for us.
  func release() { if hasLease { FileLease.drop(file) } }

  /// Whether it is what it was when it was opened, as far as the kernel or, without a lease, its
  /// status tells.
  func isUntouched() throws(SystemError) -> Bool {
    if hasLease { return try FileLease.stands(file, "\(folder.path)/\(name)") }
    let now = try file.status()
    return now.size == status.size && now.modified == status.modified
  }

  /// Whether its contents are still these. A broken lease is a no, whatever the bytes: somebody waits
  /// to write.
  func isStill(
    _ sum: FileCopy.Sum, unless isCancelled: () -> Bool
  ) throws(SystemError) -> Bool {
    guard try isUntouched() else { return false }
    if hasLease { return true }
    return try FileCopy.sum(file, upTo: sum.size, unless: isCancelled) == sum
  }

  /// Asks whether somebody writes, and lets go at once.
  static func probe(_ candidate: Candidate, in folder: any Folder) -> Probe {
    let file: any OpenFile
    do throws(Attempt) {
      file = try open(candidate.name, in: folder)
    } catch {
      return switch error {
      case .unreadable(let failure): .unreadable(failure)
      case .troubled(let failure): .troubled(failure)
      default: .missing
      }
    }
    defer { FileLease.drop(file) }
    do throws(SystemError) {
      let answer = try FileLease.take(file, "\(folder.path)/\(candidate.name)")
      return switch answer {
      case .held: .noWriter
      case .writer: .writer
      case .unsupported: .unsupported
      case .notPermitted: .notPermitted
      }
    } catch { return .troubled(error.machine) }
  }

  private static func open(_ name: FileName, in folder: any Folder) throws(Attempt) -> any OpenFile
  {
    do throws(SystemError) {
      return try folder.open(name, .read)
    } catch {
      switch error.code {
      case 2: throw .missing
      case 1, 13:
        let reason = "we may not read it: \(Printable.text(error.description))"
        throw .unreadable(
          Failure(
            .final, code: "list.unreadable", reason: reason,
            advice: "Let the group of the inbox read it (chmod g+r)"))
      case 6, 20, 21, 40: throw .changed  // a socket, a folder, a link by now
      default: throw .troubled(error.machine)
      }
    }
  }
}

extension SystemError {
  /// Whatever went wrong with a file of ours is this machine's trouble, never the dropped file's.
  var machine: Failure {
    isCancelled ? .cancelled : Failure(.machine, code: failure.code, reason: description)
  }

  var attempt: Attempt { isCancelled ? .interrupted : .troubled(machine) }

  /// Perhaps of one file or folder alone. Out of room, memory or descriptors is out of them everywhere.
  var isOfOneThing: Bool { code == 5 || !isMachineTrouble && !isCancelled }

  /// EXDEV: a rename cannot lead there.
  var isOtherFileSystem: Bool { code == 18 }
}
