// SPDX-License-Identifier: Apache-2.0
// The short history of a few lists, as segments and snapshots.

import FuzzTargets
import Record
import Support
import Vocabulary

enum JournalSeeds {
  private static let stateID = "6f1c0f7d5b9a4e2c8d3f1a2b4c6d8e0f"

  private static let life: [Change] = {
    let contents = Contents(size: 38123, hash: 0x9f86_d081_884c_7d65)
    func photo(_ list: UInt64, _ number: UInt32) -> PhotoID {
      PhotoID(list: ListID(list), number: number)
    }
    func accepted(_ list: UInt64, _ photos: UInt32) -> Change {
      let sha256 = String(repeating: "9f86d081", count: 8)
      return .accepted(
        ListID(list), Acceptance(photos: photos, serviceClass: .utility, sha256: sha256))
    }
    return [
      accepted(1, 4), .downloaded(photo(1, 1), contents), .filtered(photo(1, 1), contents),
      accepted(2, 2), .rejected(ListID(3), code: "list.syntax"), .paused(ListID(2)),
      .resumed(ListID(2)),
      .retry(
        photo(1, 2), .download, code: "http.503", attempt: 1, after: 4000,
        until: 1_763_712_349_123), .died(photo(1, 3)), .downloaded(photo(1, 4), contents),
      .lost(photo(1, 4)), .failed(photo(1, 2), .filter, code: "jpeg.truncated", attempt: 2),
      .filtered(photo(1, 3), contents), .cancelled(ListID(2)), .filtered(photo(1, 4), contents),
      .finished(ListID(1)), accepted(4, 30), .quality(ListID(4), .userInteractive),
    ]
  }()

  private static func segment(_ changes: some Sequence<Change>) -> [UInt8] {
    let header = SegmentHeader(segment: 1, stateID: stateID, bootID: "9a0e5b1c7d3f4a2b", after: 0)
    let seed = SegmentHeader.seed(stateID: stateID, segment: 1)
    var bytes = header.line
    for (place, change) in changes.enumerated() {
      let record = JournalRecord(
        sequence: UInt64(place) + 1, Transition(time: 1_763_712_345_123, change))
      bytes += record.line(seed: seed)
    }
    return bytes
  }

  static let segments: [(String, [UInt8])] = [
    ("empty", segment([])), ("one", segment(life.prefix(1))), ("life", segment(life)),
    ("torn", Array(segment(life).dropLast(30))),
    ("reserved", segment(life.prefix(4)) + [UInt8](repeating: 0, count: 512)),
    ("gap", segment(life.prefix(3)) + segment(life).suffix(200)),
  ]

  static let snapshots: [(String, [UInt8])] = [0, 1, 4, 9, life.count].map { count in
    var ledger = Ledger()
    for change in life.prefix(count) { ledger.apply(Transition(time: 1_763_712_345_123, change)) }
    let snapshot = Snapshot(
      segment: 2, stateID: stateID, after: UInt64(count), ledger: ledger)
    return ("after-\(count)", snapshot.bytes)
  }
}
