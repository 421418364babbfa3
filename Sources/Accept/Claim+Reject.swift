// SPDX-License-Identifier: Apache-2.0
// Turns a file away: its copy and the reason are durable in `failed`, then `rejected` is recorded, then
// the file leaves the inbox, unless it was changed meanwhile. A crash in between repeats the whole:
// the same bytes find their copy there, so there is one copy, though perhaps a second record.

internal import Linux
internal import Vocabulary

/// A file that is recorded as rejected and still has to leave the inbox.
struct Rejection {
  let status: FileStatus
  let sum: FileCopy.Sum
}

extension Claim {
  func reject(_ candidate: Candidate, _ failure: Failure, _ proof: Proof) -> Attempt {
    do throws(Attempt) {
      let original = try open(candidate, proof)
      defer { original.release() }
      return try original.status.size > settings.maximumListSize
        ? setAside(original, failure) : turnAway(original, failure)
    } catch { return error }
  }

  private func turnAway(_ original: Original, _ failure: Failure) throws(Attempt) -> Attempt {
    let list = number()
    let note = ReasonNote(
      list: list, name: original.name, failure: failure, time: clock.wallTime())
    let sum: FileCopy.Sum?
    do throws(SystemError) {
      sum = try archive.reject(original, note, unless: { bridge.isCancelled })
    } catch { throw error.attempt }
    guard let sum else { return .changed }
    try recordRejected(list, original.name, failure)
    rejections[list] = Rejection(status: original.status, sum: sum)
    return try withdraw(original, list, sum) ? .rejected(list) : .changed
  }

  /// Too large to be copied or even read: it moves to `failed` where that is one file system with the
  /// inbox, else it stays, and only the reason is written.
  private func setAside(_ original: Original, _ failure: Failure) throws(Attempt) -> Attempt {
    let list = number()
    let note = ReasonNote(
      list: list, name: original.name, failure: failure, time: clock.wallTime())
    let isMoved: Bool
    do throws(SystemError) {
      isMoved = try archive.move(original, note)
    } catch { throw error.attempt }
    try recordRejected(list, original.name, failure)
    return isMoved ? .rejected(list) : .leftBehind(list)
  }

  /// The number under which this very file was rejected, once it is out of the inbox.
  func turnedAway(_ original: Original) throws(Attempt) -> ListID? {
    for (list, rejection) in rejections
    where rejection.status.inode == original.status.inode
      && rejection.status.device == original.status.device
    {
      if try withdraw(original, list, rejection.sum) { return list }
      rejections[list] = nil
    }
    return nil
  }

  private func recordRejected(
    _ list: ListID, _ name: FileName, _ failure: Failure
  ) throws(Attempt) {
    let reception = reception
    do throws(Failure) {
      try bridge.wait { () async throws(Failure) in
        try await reception.reject(list, name: name, failure)
      }
    } catch { throw error.kind == .cancelled ? .interrupted : .troubled(error) }
    numberIsUsed()
  }

  /// False where the file is no longer the one that was rejected.
  private func withdraw(
    _ original: Original, _ list: ListID, _ sum: FileCopy.Sum
  ) throws(Attempt) -> Bool {
    do throws(SystemError) {
      let end = try Withdrawal(inbox: inbox, bridge: bridge).run(original, as: list, sum)
      if end != .changed { rejections[list] = nil }
      return end != .changed
    } catch { throw error.attempt }
  }
}
