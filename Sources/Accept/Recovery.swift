// SPDX-License-Identifier: Apache-2.0
// At start, before the first sweep: makes sense of what a crash left in STATE/lists and `.claim`. What
// was not accepted is removed, since its file is still in the inbox; what was accepted is recorded
// again where the record was lost, and its file taken out of the inbox, so that it is not accepted
// twice. May be run any number of times. Raises an `Attempt` where this machine is in trouble.

package import Vocabulary

package struct RecoveryReport: Equatable, Sendable {
  /// Folders of lists that were never accepted.
  package var removed = 0
  /// Lists that said accepted and had no record.
  package var healed: [ListID] = []
  /// Lists whose dropped file left the inbox only now.
  package var finished: [ListID] = []
}

struct Recovery {
  let claim: Claim

  func run() throws(Attempt) -> RecoveryReport {
    var report = RecoveryReport()
    let names: [FileName]
    do throws(SystemError) {
      try claim.archive.sweep()
      names = try claim.lists.names()
    } catch { throw .troubled(error.machine) }
    for name in names {
      if name.bytes.starts(with: ".staged-".utf8) {
        try remove(name)
        report.removed += 1
      } else if let list = ListFolder.number(name) {
        try examine(list, &report)
      }
    }
    try finish(&report)
    return report
  }

  private func examine(_ list: ListID, _ report: inout RecoveryReport) throws(Attempt) {
    let name = ListFolder.name(list)
    let folder: any Folder
    let state: ListFolder.State?
    do throws(SystemError) {
      folder = try claim.lists.folder(name, creating: false)
      state = try ListFolder.state(of: folder)
    } catch { throw .troubled(error.machine) }
    let isRecorded = claim.reception.isRecorded(list)
    if !isRecorded, state == nil {
      try remove(name)
      report.removed += 1
      return
    }
    // An archived list is over, also where the record has forgotten it since.
    if state == .archived || (isRecorded && state == .claimed) { return }
    do throws(Failure) {
      let about = try AboutFile.read(from: folder)
      if !isRecorded { report.healed.append(list) }
      if state == nil || state == .accepted { claim.remember(list, about) }
      try record(list, about)
    } catch {
      guard error.kind == .final else { throw .troubled(error) }
      try setAside(list, error)
    }
  }

  private func record(_ list: ListID, _ about: AboutFile) throws(Failure) {
    do throws(Attempt) {
      try claim.record(list, about)
    } catch {
      if case .troubled(let failure) = error {
        throw Failure(.machine, code: failure.code, reason: failure.reason)
      }
      throw .cancelled
    }
  }

  /// Looks for the dropped files of accepted lists: by place, by name, at last by inode.
  private func finish(_ report: inout RecoveryReport) throws(Attempt) {
    if claim.drops.isEmpty { return }
    var entries: [InboxState.Entry] = []
    do throws(SystemError) {
      entries = try InboxLook.entries(claim.inbox)
    } catch { throw .troubled(error.machine) }
    for (list, about) in claim.drops.sorted(by: { $0.key < $1.key }) {
      let matches = entries.filter { $0.status.map(about.resembles) ?? false }
      let best =
        matches.first { $0.key.place == .claim(list) }
        ?? matches.first { $0.key.name == about.name } ?? matches.first
      if let best, let status = best.status {
        switch claim.finish(Candidate(key: best.key, status: status)) {
        case .finished: report.finished.append(list)
        case .troubled(let failure): throw .troubled(failure)
        default: continue  // a writer has it, or it changed: the sweep sees to it
        }
      } else {
        do throws(SystemError) { try claim.close(list) } catch { throw .troubled(error.machine) }
      }
    }
  }

  private func remove(_ name: FileName) throws(Attempt) {
    do throws(SystemError) {
      try claim.lists.removeFlat(name)
    } catch { throw .troubled(error.machine) }
  }

  private func setAside(_ list: ListID, _ failure: Failure) throws(Attempt) {
    do throws(SystemError) {
      try claim.lists.rename(
        ListFolder.name(list), to: claim.lists, as: ListFolder.damaged(list), replacing: false)
      try claim.lists.sync()
    } catch { throw .troubled(error.machine) }
    claim.forget(list)
    claim.reception.setAside(list, failure)
  }
}
