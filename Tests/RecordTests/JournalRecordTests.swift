// SPDX-License-Identifier: Apache-2.0
// The lines of the journal file, as Journal-format.md describes them.

import Linux
import Record
import Support
import Testing
import Vocabulary

struct JournalRecordTests {
  static let lines: [(Change, String)] = [
    (
      Samples.accepted(17, photos: 120_000),
      "accepted 17 photos=120000 quality=utility sha256=\(Samples.sha256)"
    ),
    (.rejected(ListID(18), code: "list.bad"), "rejected 18 code=list.bad"),
    (.paused(ListID(17)), "paused 17"),
    (.resumed(ListID(17)), "resumed 17"),
    (.cancelled(ListID(17)), "cancelled 17"),
    (.finished(ListID(17)), "finished 17"),
    (.quality(ListID(17), .background), "quality 17 class=background"),
    (.removed(ListID(17)), "Removed 17"),
    (
      .downloaded(Samples.photo(17, 38211), Contents(size: 38123, hash: 0x9f86_d081_884c_7d65)),
      "downloaded 17 38211 size=38123 hash=9f86d081884c7d65"
    ),
    (
      .filtered(Samples.photo(17, 1), Contents(size: 0, hash: 0)),
      "filtered 17 1 size=0 hash=0000000000000000"
    ),
    (
      .failed(Samples.photo(17, 38212), .filter, code: "jpeg.truncated", attempt: 2),
      "failed 17 38212 stage=filter code=jpeg.truncated attempt=2"
    ),
    (
      .retry(
        Samples.photo(17, 4), .download, code: "http.503", attempt: 1, after: 4000,
        until: 1_763_712_349_140),
      "retry 17 4 stage=download code=http.503 attempt=1 after=4000 until=1763712349140"
    ),
    (.lost(Samples.photo(17, 4)), "lost 17 4"),
    (.died(Samples.photo(17, 4)), "died 17 4"),
  ]

  @Test(arguments: lines)
  func `each transition has its line and is read back from it`(change: Change, text: String) {
    let record = JournalRecord(sequence: 1_048_577, Transition(time: Samples.time, change))
    let line = record.line(seed: Samples.seed)
    let rest = "1048577 1763712345.123 \(text)"
    #expect(String(decoding: line.dropFirst(9), as: UTF8.self) == rest + "\n")
    #expect(line == Checked.line(rest, seed: Samples.seed))
    #expect(
      JournalRecord.read(line, 0..<(line.count - 1), seed: Samples.seed) == .record(record))
  }

  @Test func `a record names the user who asked, and an acceptance the owner`() {
    let acceptance = Acceptance(
      photos: 3, serviceClass: .utility, sha256: Samples.sha256, owner: 1000)
    let rows: [(Transition, String)] = [
      (Transition(time: Samples.time, .paused(ListID(17)), by: 0), "paused 17 by=0"),
      (
        Transition(time: Samples.time, .accepted(ListID(17), acceptance), by: .max),
        "accepted 17 photos=3 quality=utility sha256=\(Samples.sha256) owner=1000 by=4294967295"
      ),
    ]
    for (transition, text) in rows {
      let record = JournalRecord(sequence: 1, transition)
      let line = record.line(seed: Samples.seed)
      #expect(String(decoding: line, as: UTF8.self).hasSuffix(" \(text)\n"))
      #expect(
        JournalRecord.read(line, 0..<(line.count - 1), seed: Samples.seed) == .record(record))
    }
  }

  @Test func `the longest record fits its limit`() {
    let code = String(repeating: "x", count: 500)
    let photo = PhotoID(list: ListID(.max), number: .max)
    let changes: [Change] = [
      .retry(photo, .download, code: code, attempt: .max, after: .max, until: .max),
      .accepted(
        ListID(.max), Acceptance(photos: .max, serviceClass: .userInteractive, sha256: code)),
    ]
    for change in changes {
      let record = JournalRecord(sequence: .max, Transition(time: .max, change))
      #expect(record.line(seed: 0).count <= JournalRecord.maximumBytes)
    }
  }

  @Test func `a code with spaces and line ends cannot break a line`() {
    let change = Change.rejected(ListID(1), code: "a b\nfinished 1=é")
    let line = JournalRecord(sequence: 1, Transition(time: 0, change)).line(seed: 0)
    #expect(line.count { $0 == 0x0A } == 1)
    #expect(String(decoding: line, as: UTF8.self).contains("rejected 1 code=a_b_finished_1___"))
  }

  @Test func `an empty code is written as unknown, which can be read`() {
    let record = Self.record(.rejected(ListID(1), code: ""))
    let line = record.line(seed: 0)
    #expect(
      JournalRecord.read(line, 0..<(line.count - 1), seed: 0)
        == .record(Self.record(.rejected(ListID(1), code: "unknown"))))
  }

  /// The text of a line, which gets a right checksum, and the outcome of reading it.
  static let oddities: [(String, JournalLine)] = [
    ("1 1.000 tinted 17 4", .unknown(sequence: 1, kind: "tinted", isCritical: false)),
    ("1 1.000 Moved 17 4", .unknown(sequence: 1, kind: "Moved", isCritical: true)),
    ("1 1.000 reopened 17", .unknown(sequence: 1, kind: "reopened", isCritical: true)),
    ("1 1.000 quality 17", .damaged), ("1 1.000 quality 17 class=Utility", .damaged),
    ("1 1.000 paused 17 by=alice why=9", .record(record(.paused(ListID(17))))),
    (
      "1 1.000 filtered 1 2 hash=0000000000000003 more=1 size=4",
      .record(record(.filtered(Samples.photo(1, 2), Contents(size: 4, hash: 3))))
    ),
    ("1 1.000  paused 17", .damaged), ("01 1.000 paused 17", .damaged),
    ("1 1.00 paused 17", .damaged), ("1 1 paused 17", .damaged), ("1 1.000 paused", .damaged),
    ("1 1.000 paused 0", .damaged), ("1 1.000 paused x", .damaged), ("1 1.000 9 17", .damaged),
    ("1 1.000 lost 17", .damaged), ("1 1.000 lost 17 4294967296", .damaged),
    ("18446744073709551616 1.000 paused 1", .damaged), ("", .damaged),
    ("1 1.000 downloaded 1 2 size=4", .damaged),
    ("1 1.000 downloaded 1 2 size=4 hash=000000000000000A", .damaged),
    ("1 1.000 downloaded 1 2 size=4 hash=3", .damaged),
    ("1 1.000 downloaded 1 2 size=4x hash=0000000000000003", .damaged),
    ("1 1.000 failed 1 2 stage=develop code=x attempt=1", .damaged),
    ("1 1.000 retry 1 2 stage=filter code=x attempt=1 after=4", .damaged),
    // The last time that fits, then one that does not, one whose sum overflows, and one whose product does.
    (
      "1 9223372036854775.807 paused 17",
      .record(
        JournalRecord(sequence: 1, Transition(time: UInt64(Int64.max), .paused(ListID(17)))))
    ),
    ("1 9223372036854775.808 paused 17", .damaged),
    ("1 18446744073709551.616 paused 17", .damaged),
    ("1 9223372036854775807.000 paused 17", .damaged),
  ]

  static func record(_ change: Change) -> JournalRecord {
    JournalRecord(sequence: 1, Transition(time: 1000, change))
  }

  @Test(arguments: oddities)
  func `a line is read strictly, but later versions may add to it`(
    text: String, line: JournalLine
  ) {
    let bytes = Array(Checked.line(text, seed: 0).dropLast())
    #expect(JournalRecord.read(bytes, 0..<bytes.count, seed: 0) == line)
  }

  @Test func `a record of another segment or state folder does not verify`() {
    let record = Self.record(.paused(ListID(1)))
    let line = record.line(seed: Samples.seed)
    for (state, segment) in [(Samples.stateID, 43 as UInt64), ("00", 42), (Samples.stateID, 4)] {
      let seed = SegmentHeader.seed(stateID: state, segment: segment)
      #expect(JournalRecord.read(line, 0..<(line.count - 1), seed: seed) == .damaged)
    }
  }

  @Test func `no flipped bit of a line passes`() {
    for (change, _) in Self.lines {
      let line = JournalRecord(sequence: 99, Transition(time: 1, change)).line(seed: Samples.seed)
      for bit in 0..<((line.count - 1) * 8) {
        var flipped = line
        flipped[bit / 8] ^= 1 << UInt8(bit % 8)
        #expect(
          JournalRecord.read(flipped, 0..<(line.count - 1), seed: Samples.seed) == .damaged)
      }
    }
  }

  @Test func `a header is read back, and no flipped bit of it passes`() {
    let header = SegmentHeader(
      segment: 42, stateID: Samples.stateID, bootID: "9a0e", after: 1_048_576)
    let line = header.line
    #expect(SegmentHeader.read(line, 0..<(line.count - 1)) == .header(header))
    for bit in 0..<((line.count - 1) * 8) {
      var flipped = line
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(SegmentHeader.read(flipped, 0..<(line.count - 1)) == .damaged)
    }
  }

  /// Reads the example in the document as recovery reads a file.
  @Test func `the example in the document of the format has right checksums`() throws {
    let text = Repository.text("Sources/Record/Journal-format.md")
    let blocks = text.split(separator: "```", omittingEmptySubsequences: false)
    let segment = try #require(blocks.first { $0.hasPrefix("\n#darkroom-journal") }).dropFirst()
    var records = 0
    for (place, line) in segment.split(separator: "\n").enumerated() {
      let bytes = Array(line.utf8)
      if place == 0 {
        guard case .header = SegmentHeader.read(bytes, 0..<bytes.count) else {
          Issue.record("the header of the example is damaged")
          continue
        }
      } else if case .record = JournalRecord.read(bytes, 0..<bytes.count, seed: Samples.seed) {
        records += 1
      } else {
        Issue.record("damaged: \(line)")
      }
    }
    #expect(records == 6)
    let snapshot = try #require(blocks.first { $0.hasPrefix("\n#darkroom-snapshot") }).dropFirst()
    guard case .snapshot(let read) = Snapshot.read(Array(snapshot.utf8)) else {
      Issue.record("the snapshot of the example is damaged")
      return
    }
    #expect(Array(snapshot.utf8) == read.bytes)
  }
}
