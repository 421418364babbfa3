// SPDX-License-Identifier: Apache-2.0
// Snapshots: one that is written again reads the same, and one without its last byte is damaged.

import Record
import Vocabulary

enum SnapshotProof {
  static func run(_ bytes: [UInt8]) {
    guard SegmentProof.isSmall(bytes), case .snapshot(let snapshot) = Snapshot.read(bytes) else {
      return
    }
    check(snapshot)
    checkLife(of: snapshot.ledger)
    must(
      Snapshot.read(Array(bytes.dropLast())) == .damaged, "a snapshot that was cut was accepted")
  }

  /// Applies the changes that may follow a snapshot, to the first photos of every list.
  private static func checkLife(of ledger: Ledger) {
    var ledger = ledger
    let contents = Contents(size: 1, hash: 1)
    for entry in ledger.lists.values {
      for number in 0...min(entry.acceptance.photos, 64) {
        let photo = PhotoID(list: entry.id, number: number)
        for change: Change in [
          .died(photo), .downloaded(photo, contents), .lost(photo), .filtered(photo, contents),
          .failed(photo, .filter, code: "jpeg.damaged", attempt: 1),
        ] { ledger.apply(Transition(time: 1, change)) }
      }
      ledger.apply(Transition(time: 2, .finished(entry.id)))
    }
    check(Snapshot(segment: 3, stateID: SegmentProof.stateID, after: 1, ledger: ledger))
  }

  static func check(_ snapshot: Snapshot) {
    let bytes = snapshot.bytes
    must(Snapshot.read(bytes) == .snapshot(snapshot), "a snapshot does not come back as it was")
    must(Snapshot.read(Array(bytes.dropLast())) == .damaged, "half a snapshot was accepted")
  }
}
