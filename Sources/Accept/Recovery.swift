// SPDX-License-Identifier: Apache-2.0
// At start, before the first sweep: makes sense of what a crash left in STATE/lists and `.claim`. What
// was not accepted is removed, since its file is still in the inbox; what was accepted is recorded
// again where the record was lost, and its file taken out of the inbox, so that it is not accepted
// twice. A folder that cannot be read is left as it is, and said. May be run any number of times. Raises
// an `Attempt` where this machine as a whole is in trouble.

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
      names = try claim.lists.names()
    } catch { throw .troubled(error.machine) }
    for name in names {
      if name.bytes.starts(with: ".staged-".utf8) {
        // Where it cannot go, the list that gets this number says so.
        if (try? remove(name)) != nil { report.removed += 1 }
      } else if let list = ListFolder.number(name) {
        do throws(Trouble) {
          try examine(list, &report)
        } catch {
          switch error {
          case .whole(let attempt): throw attempt
          case .folder(let failure): claim.skip(list, failure)
          }
        }
      }
    }
    try finish(&report)
    return report
  }

  private enum Trouble: Error {
    /// Of this machine, or of the record: nothing may be accepted meanwhile.
    case whole(Attempt)
    /// Of one list's folder alone.
    case folder(Failure)

    init(_ error: SystemError) {
      self = error.isOfOneThing ? .folder(error.machine) : .whole(error.attempt)
    }
  }

  private func examine(_ list: ListID, _ report: inout RecoveryReport) throws(Trouble) {
    let name = ListFolder.name(list)
    let folder: any Folder
    let state: ListFolder.State?
    let isRecorded = claim.reception.isRecorded(list)
    do throws(SystemError) {
      folder = try claim.lists.folder(name, creating: false)
      state = try ListFolder.state(of: folder)
      if !isRecorded, state == nil {
        try remove(name)
        report.removed += 1
        return
      }
    } catch { throw Trouble(error) }
    // An archived list is over, also where the record has forgotten it since.
    if state == .archived || (isRecorded && state == .claimed) { return }
    let about: AboutFile
    do throws(Failure) {
      about = try AboutFile.read(from: folder)
    } catch {
      // What the record has stays where it is: somebody may mend it, or cancel the list.
      if error.code == AboutFile.damage, !isRecorded { return try setAside(list, error) }
      throw error.kind == .final || error.code == "system.5"
        ? .folder(error) : .whole(.troubled(error))
    }
    if !isRecorded { report.healed.append(list) }
    if state == nil || state == .accepted { claim.remember(list, about) }
    do throws(Attempt) { try claim.record(list, about) } catch { throw .whole(error) }
    do throws(SystemError) { try claim.double(list) } catch { throw Trouble(error) }
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
        default: continue  // a writer has it, it changed, or trouble: the sweep sees to it
        }
      } else {
        do throws(SystemError) {
          try claim.close(list)
        } catch {
          if !error.isOfOneThing { throw error.attempt }
          claim.skip(list, error.machine)
        }
      }
    }
  }

  private func remove(_ name: FileName) throws(SystemError) {
    try claim.lists.removeFlat(name)
  }

  private func setAside(_ list: ListID, _ failure: Failure) throws(Trouble) {
    do throws(SystemError) {
      try claim.lists.rename(
        ListFolder.name(list), to: claim.lists, as: ListFolder.damaged(list), replacing: false)
      try claim.lists.sync()
    } catch { throw Trouble(error) }
    claim.forget(list)
    claim.reception.setAside(list, failure)
  }
}
