// SPDX-License-Identifier: Apache-2.0
// Segments of the journal file, damaged in any way: recovery ends, a second one finds the same state
// and nothing torn, and half a segment has no more records than the whole.

import Record
import Support
import Vocabulary

enum SegmentProof {
  static let stateID = "6f1c0f7d5b9a4e2c8d3f1a2b4c6d8e0f"
  private static let settings = JournalSettings(stateID: stateID, bootID: "9a0e5b1c7d3f4a2b")

  static func run(_ bytes: [UInt8]) {
    guard isSmall(bytes) else { return }
    let folder = SimulatedDisk().rootFolder
    put(bytes, into: folder)
    guard let first = recover(folder) else { return }
    guard let second = recover(folder) else { fatalError("the second recovery refused") }
    must(second.ledger == first.ledger, "the second recovery found another state")
    must(second.tornBytes == 0 || first.previousBoot == nil, "the torn tail is still there")
    SnapshotProof.check(
      Snapshot(segment: 2, stateID: stateID, after: first.sequence, ledger: first.ledger))
    let half = SimulatedDisk().rootFolder
    put(Array(bytes.prefix(bytes.count / 2)), into: half)
    guard let before = recover(half) else { return }
    must(before.sequence <= first.sequence, "half a segment has more records than the whole")
  }

  /// False if a list claims more than 99,999 photos. The journal file is trusted: recovery takes a
  /// byte for each of up to fifty million photos, which would only cost memory here.
  static func isSmall(_ bytes: [UInt8]) -> Bool {
    let mark = Array("photos=".utf8)
    var place = 0
    while place + mark.count < bytes.count {
      if bytes[place] == mark[0], bytes[place...].starts(with: mark) {
        place += mark.count
        let digits = bytes[place...].prefix { $0 >= 0x30 && $0 <= 0x39 }.count
        if digits > 5 { return false }
      }
      place += 1
    }
    return true
  }

  private static func put(_ bytes: [UInt8], into folder: any Folder) {
    do {
      let file = try folder.open(JournalFolder.log(1), .create)
      try file.write(bytes, at: 0)
    } catch { fatalError("the simulated disk: \(error)") }
  }

  private static func recover(_ folder: any Folder) -> Recovery? {
    do throws(Failure) {
      return try JournalRecovery.run(JournalFolder(folder), settings, hasLists: false)
    } catch {
      FailureProof.check(error, codes: ["journal."])
      return nil
    }
  }
}
