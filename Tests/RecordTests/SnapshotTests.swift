// SPDX-License-Identifier: Apache-2.0
// Snapshots: they give the same state back, or are damaged.

import Record
import Support
import Testing
import Vocabulary

struct SnapshotTests {
  private func snapshot(_ ledger: Ledger) -> Snapshot {
    Snapshot(segment: 42, stateID: Samples.stateID, after: 1000, ledger: ledger)
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `any state comes back from its snapshot`(seed: UInt64) {
    let snapshot = snapshot(Samples.ledger(seed: seed, transitions: Int(seed) * 8))
    #expect(Snapshot.read(snapshot.bytes) == .snapshot(snapshot))
  }

  @Test func `no truncation and no flipped bit of a snapshot passes`() async throws {
    let count = JournalDamageTests.isLong ? 12_000 : 60
    let bytes = snapshot(Samples.ledger(seed: 7, transitions: count)).bytes
    #expect(!JournalDamageTests.isLong || bytes.count > 64 << 10)
    let passed = try await computing {
      (0..<bytes.count).filter { place in
        Snapshot.read(Array(bytes[..<place])) != .damaged
          || (0..<8).contains { bit in
            var flipped = bytes
            flipped[place] ^= 1 << UInt8(bit)
            return Snapshot.read(flipped) != .damaged
          }
      }
    }
    #expect(passed.isEmpty)
  }

  @Test func `a million photos take a megabyte, however they alternate`() {
    var ledger = Ledger()
    ledger.apply(Transition(time: 1, Samples.accepted(1, photos: 1_000_000)))
    #expect(snapshot(ledger).bytes.count < 500)
    for number in stride(from: 1 as UInt32, to: 1_000_000, by: 2) {
      ledger.apply(Transition(time: 1, .filtered(Samples.photo(1, number), Samples.contents(1))))
    }
    let snapshot = snapshot(ledger)
    let bytes = snapshot.bytes
    #expect(bytes.count < 1_050_000)
    #expect(Snapshot.read(bytes) == .snapshot(snapshot))
  }

  @Test func `a later version may add lines, unless they must be understood`() {
    let snapshot = snapshot(Samples.ledger(seed: 3, transitions: 30))
    #expect(Snapshot.read(Self.with("tint 1 2\n", in: snapshot)) == .snapshot(snapshot))
    #expect(Snapshot.read(Self.with("Tint 1 2\n", in: snapshot)) == .newer("a line 'Tint'"))
    #expect(Snapshot.read(Self.with("list 99 odd\n", in: snapshot)) == .damaged)
  }

  /// The snapshot with another line before its end, and a right checksum.
  static func with(_ line: String, in snapshot: Snapshot) -> [UInt8] {
    Checked.ending(snapshot.bytes.dropLast(17) + Array((line + "end").utf8))
  }
}
