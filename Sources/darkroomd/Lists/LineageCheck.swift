// SPDX-License-Identifier: Apache-2.0
// Reads, judges and renews the lineage of the state folder before the first list gets a number, and reports a
// copy or a backup. Raises nothing: trouble with the file is reported, and this start continues.
// Concurrency: immutable; one task calls it, once.

import Files
import Linux
import Record
import Report
import Vocabulary

struct LineageCheck: Sendable {
  private static let name = FileName(literal: "lineage")
  private static let longest = 512
  /// `done` may lie on a mount that does not answer.
  private static let patience = Duration.seconds(5)

  let state: any Folder
  let witness: NumberWitness
  let recorder: Recorder
  let clock: any Timekeeper
  let narrator: Narrator

  /// Raises the next list number above all reported ones; returns the lineage's id, or nil if it cannot be written now.
  func settle() async -> String? {
    await onDisk { () -> String? in
      do throws(SystemError) { return try check() } catch {
        narrator.tell(
          .machineTrouble(
            error.machineFailure, waits: "no start recognises a restored state folder"))
        return nil
      }
    }
  }

  private func check() throws(SystemError) -> String {
    let (known, place, doubt) = read()
    if let known { recorder.reserve(upTo: known.floor) }
    let (witness, id) = (witness, known?.id)
    let read = withPatience(Self.patience) { witness.read(id) } ?? NumberWitness.Reported()
    // Of a state that is new, the number of a list could have been reported before: then numbers begin with the time.
    let unread = known == nil ? read.unread : nil
    if let error = unread {
      narrator.tell(
        .machineTrouble(
          error.machineFailure, waits: "the numbers of lists reported before are not known"))
    }
    let reported = read.highest ?? (unread ?? doubt).map { _ in ListID(0) }
    // The witness may be behind, never ahead: numbers that are only reserved do not count for it.
    if let newest = recorder.ledger({ $0.lists.keys.max() }) { witness.note(newest) }
    let recorded = recorder.ledger { ListID($0.nextList.number - 1) }
    let verdict = Lineage.judge(known, at: place, recorded: recorded, reported: reported)
    if verdict == .same, let known {
      // A new file for each start: a backup that is restored in place leaves equal files alone, and this one must
      // not be equal.
      try? write(known.id, generation: known.generation, floor: known.floor)
      return known.id
    }
    let floor = Lineage.floor(verdict, recorded: recorded, now: clock.wallTime())
    recorder.reserve(upTo: floor)
    report(verdict, recorded, doubt)
    let next = String(hex: try ThisProcess.randomBytes(8))
    try write(next, generation: (known?.generation ?? 0) + 1, floor: floor)
    return next
  }

  private func write(_ id: String, generation: UInt64, floor: ListID) throws(SystemError) {
    try state.write(wholly: Self.name) { file throws(SystemError) in
      let lineage = Lineage(
        id: id, generation: generation, floor: floor, place: try Self.place(of: file))
      try file.write(Array(lineage.text.utf8), at: 0)
    }
  }

  private func report(_ verdict: Lineage.Verdict, _ recorded: ListID, _ doubt: SystemError?) {
    let next = recorder.ledger { $0.nextList }
    switch verdict {
    case .same, .first: break
    case .copied: narrator.tell(.stateIsCopied(next: next, doubt: doubt?.machineFailure))
    case .older(let reported):
      narrator.tell(.stateIsOlder(recorded: recorded, reported: reported, next: next))
    }
  }

  /// A file that cannot be read may have a floor, so numbers begin with the time; a new file takes its place.
  private func read() -> (Lineage?, Lineage.Place?, doubt: SystemError?) {
    do throws(SystemError) {
      guard let file = try state.open(ifThere: Self.name) else { return (nil, nil, nil) }
      let text = String(decoding: try file.read(at: 0, upTo: Self.longest), as: UTF8.self)
      return (Lineage(text: text), try Self.place(of: file), nil)
    } catch { return (nil, nil, error) }
  }

  private static func place(of file: any OpenFile) throws(SystemError) -> Lineage.Place {
    Lineage.Place(inode: try file.status().inode, birth: try file.birth())
  }
}
