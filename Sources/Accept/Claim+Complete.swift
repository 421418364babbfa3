// SPDX-License-Identifier: Apache-2.0
// Steps 6 to 11 of a claim: record, then take the file out of the inbox. Begun again at any of them,
// it does what is missing. And how a file is recognised whose list got that far already.

internal import Linux
internal import Vocabulary

extension Claim {
  enum Completion { case whole, changed }

  func complete(
    _ list: ListID, _ about: AboutFile, _ original: Original
  ) throws(Attempt) -> Completion {
    try record(list, about)
    do throws(SystemError) {
      try double(list)
      let sum = FileCopy.Sum(size: about.size, sha256: about.sha256)
      switch try Withdrawal(inbox: inbox, bridge: bridge).run(original, as: list, sum) {
      case .gone: try close(list)
      case .missing: break  // taken back or renamed: recognised by its inode where it shows up
      case .changed: return .changed
      }
      return .whole
    } catch { throw error.attempt }
  }

  /// `accepted` is recorded.
  func record(_ list: ListID, _ about: AboutFile) throws(Attempt) {
    let reception = reception
    if reception.isRecorded(list) { return }
    do throws(Failure) {
      try bridge.wait { () async throws(Failure) in
        try await reception.accept(list, about.acceptance, about)
      }
    } catch { throw error.kind == .cancelled ? .interrupted : .troubled(error) }
  }

  /// What is recorded also stands in `state`.
  func double(_ list: ListID) throws(SystemError) {
    let folder = try lists.folder(ListFolder.name(list), creating: false)
    if try ListFolder.state(of: folder) == nil {
      try ListFolder.setState(.accepted, of: folder)
    }
  }

  /// The dropped file is not in the inbox any more, or is no longer what it was.
  func close(_ list: ListID) throws(SystemError) {
    if reception.isRecorded(list) {
      let folder = try lists.folder(ListFolder.name(list), creating: false)
      if try ListFolder.state(of: folder) != .archived {
        try ListFolder.setState(.claimed, of: folder)
      }
    } else {
      try lists.removeFlat(ListFolder.name(list))
    }
    forget(list)
  }

  /// The list that this very file became earlier, if its contents are still the same.
  func known(_ original: Original) throws(Attempt) -> (ListID, AboutFile)? {
    do throws(SystemError) {
      for (list, about) in drops
      where about.inode == original.status.inode && about.device == original.status.device {
        if about.name != original.name, try isHardLink(about) { continue }
        let sum = FileCopy.Sum(size: about.size, sha256: about.sha256)
        if about.resembles(original.status),
          try FileCopy.sum(
            original.file, upTo: about.size, unless: { bridge.isCancelled }) == sum
        {
          return (list, about)
        }
        try close(list)
      }
      return nil
    } catch { throw error.attempt }
  }

  /// The name under which the list was dropped still leads to that file, so another name of it is
  /// another drop.
  private func isHardLink(_ about: AboutFile) throws(SystemError) -> Bool {
    do throws(SystemError) {
      let status = try inbox.status(of: about.name)
      return status.inode == about.inode && status.device == about.device
    } catch {
      if error.isMissing { return false }
      throw error
    }
  }
}
