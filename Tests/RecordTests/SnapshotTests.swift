// SPDX-License-Identifier: Apache-2.0
// Snapshots: they give the same state back, or are damaged.

import Foundation
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

  @Test func `a snapshot keeps the owners, and the users who paused or cancelled`() {
    var ledger = Ledger()
    for (number, change) in [(1, Change.paused), (2, Change.cancelled)]
      as [(UInt64, (ListID) -> Change)]
    {
      let acceptance = Acceptance(
        photos: 1, serviceClass: .utility, sha256: Samples.sha256, owner: UInt32(number) + 1000)
      ledger.apply(Transition(time: 1, .accepted(ListID(number), acceptance)))
      ledger.apply(Transition(time: 2, change(ListID(number)), by: UInt32(number)))
    }
    #expect(ledger[ListID(1)]?.halter == 1 && ledger[ListID(2)]?.halter == 2)
    let snapshot = snapshot(ledger)
    #expect(Snapshot.read(snapshot.bytes) == .snapshot(snapshot))
    ledger.apply(Transition(time: 3, .resumed(ListID(1)), by: 0))
    #expect(ledger[ListID(1)]?.halter == nil)
  }

  @Test func `a later version may add lines, unless they must be understood`() {
    let snapshot = snapshot(Samples.ledger(seed: 3, transitions: 30))
    #expect(Snapshot.read(Self.with("tint 1 2\n", in: snapshot)) == .snapshot(snapshot))
    #expect(Snapshot.read(Self.with("Tint 1 2\n", in: snapshot)) == .newer("a line 'Tint'"))
    #expect(Snapshot.read(Self.with("list 99 odd\n", in: snapshot)) == .damaged)
  }

  static let whole = """
    #darkroom-snapshot 1 segment=42 state=\(Samples.stateID) after=1000 next=3 refused=0
    list 1 running photos=3 quality=utility sha256=\(Samples.sha256) accepted=1 ended=0 \
    new=2 downloaded=1 filtered=0 failed=0
    states 1 dn2
    original 1 1 size=1 hash=0000000000000003
    retry 1 2 stage=download attempt=1 after=4 until=5
    died 1 2 count=2
    end
    """

  /// A part of the snapshot, and the text in its place.
  static let broken: [(String, String)] = [
    ("#darkroom-snapshot", "#darkroom-journal"), ("snapshot 1", "snapshot x"),
    (" refused=0", ""), (" next=3", " next=03"), (" after=1000", " after=x"),
    ("\nend", "\nend\nend"), ("\nend", "\n\nend"), ("\nend", "\nmore"),
    ("states 1", "states 2"), ("states 1", "states x"), ("states 1 dn2", "states 1"),
    ("states 1 dn2\n", ""), ("dn2", "dq2"), ("dn2", "dn3"), ("dn2", "dn9"), ("dn2", "dn02"),
    ("dn2", "dn0n2"), ("dn2", "nnn"), ("original 1 1", "original 1 4"),
    ("original 1 1", "original 1 0"), ("original 1 1", "original 1 4294967297"),
    ("original 1 1", "original 2 1"), (" hash=0000000000000003", " hash=3"), ("size=1 ", ""),
    (" until=5", ""), ("stage=download", "stage=wash"), (" count=2", ""),
    ("count=2", "count=4294967296"), ("running", "paused"), ("photos=3", "photos=50000001"),
    ("list 1", "list 0"),
  ]

  @Test(arguments: broken)
  func `a snapshot with a right checksum is read strictly, too`(part: String, other: String) throws
  {
    guard case .snapshot(let good) = Snapshot.read(Checked.ending(Self.whole.utf8)) else {
      Issue.record("the snapshot without a change cannot be read")
      return
    }
    #expect(String(decoding: good.bytes, as: UTF8.self).hasPrefix(Self.whole))
    let place = try #require(Self.whole.range(of: part))
    let changed = Self.whole.replacingCharacters(in: place, with: other)
    #expect(Snapshot.read(Checked.ending(changed.utf8)) == .damaged)
  }

  @Test func `a snapshot without any list is read, and one without its head is not`() {
    let head = Self.whole.split(separator: "\n")[0]
    guard case .snapshot(let empty) = Snapshot.read(Checked.ending("\(head)\nend".utf8)) else {
      Issue.record("a snapshot without lists cannot be read")
      return
    }
    #expect(empty.ledger.lists.isEmpty && empty.ledger.nextList == ListID(3))
    for text in ["\(head)", "\(head)\nstates 1 n3\nend", "end", "\nend"] {
      #expect(Snapshot.read(Checked.ending(text.utf8)) == .damaged)
    }
  }

  /// The snapshot with another line before its end, and a right checksum.
  static func with(_ line: String, in snapshot: Snapshot) -> [UInt8] {
    Checked.ending(snapshot.bytes.dropLast(17) + Array((line + "end").utf8))
  }
}
