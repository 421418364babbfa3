// SPDX-License-Identifier: Apache-2.0
// Every bit of every journal file is flipped, and every file is cut at every place: a start finds the state
// without the lost records, which are at most two, and `darkroomctl journal verify` tells exactly what is lost.
// `DAMAGE=long` takes segments of 16 KiB: the time grows with the square of the size.

import Foundation
import Record
import Support
import Testing
import Vocabulary

struct JournalDamageTests {
  static let isLong = ProcessInfo.processInfo.environment["DAMAGE"] == "long"
  /// The positions are shared out, so that both processors have work.
  static let shares = 0..<4

  @Test(arguments: shares)
  func `a flipped bit costs at most two records, and the loss is told`(share: Int) async throws {
    try await computing {
      try sweep(share) { bench, file, size in
        for place in stride(from: share, to: size, by: Self.shares.count) {
          for bit in 0..<8 as Range<UInt8> { try bench.flip(file, place, 1 << bit) }
        }
      }
    }
  }

  @Test(arguments: shares)
  func `a cut costs the records behind it, and the loss is told`(share: Int) async throws {
    try await computing {
      try sweep(share) { bench, file, size in
        for place in stride(from: share, to: size, by: Self.shares.count) {
          try bench.cut(file, place)
        }
      }
    }
  }

  private func sweep(
    _ share: Int, _ act: (DamageBench, DamageBench.File, Int) throws -> Void
  ) throws {
    let bench = try DamageBench(seed: 1, segmentBytes: Self.isLong ? 16 << 10 : 600)
    // The older segment would take as long again.
    for file in bench.files where !Self.isLong || file.kind != .older {
      let size = try bench.desk.bytes(of: file.name).count
      do {
        try act(bench, file, size)
      } catch let problem as DamageBench.Problem {
        Issue.record("\(problem.words)")
        return
      }
      print("\(file.name), share \(share): \(size) positions")
    }
  }

  @Test func `the check itself notices a record that is left out without damage`() throws {
    let bench = try DamageBench(seed: 3, segmentBytes: 900)
    let file = try #require(bench.files.first { $0.kind == .newest })
    #expect(throws: DamageBench.Problem.self) { try bench.flip(file, 0, 0) }
  }
}

/// Two generations of a journal, and the judge of what one damage costs.
struct DamageBench {
  struct Problem: Error { let words: String }

  struct File {
    enum Kind { case older, newest, oldSnapshot, snapshot, length }

    let name: FileName
    let kind: Kind
    /// The number of the first record of a segment.
    var first: UInt64 = 0
    /// The offset behind each line of a segment, its header first.
    var ends: [Int] = []
  }

  let desk: JournalDesk
  private(set) var files: [File] = []
  /// The state at the start of the newest segment, and the number of its last record.
  private let base: Ledger
  private let after: UInt64

  init(seed: UInt64, segmentBytes: UInt64) throws {
    var random = SimulatedRandom(seed: seed)
    var desk = try JournalDesk(SimulatedDisk(), segmentBytes: segmentBytes)
    var base = desk.ledger
    var after: UInt64 = 0
    var first: UInt64 = 0
    // Two full segments.
    while let number = desk.journal.segmentNumber,
      try number < 3 || UInt64(desk.bytes(of: JournalFolder.log(number)).count) < segmentBytes - 200
    {
      let (ledger, sequence) = (desk.ledger, desk.journal.sequence)
      try desk.work(1, &random)
      if desk.journal.segmentNumber != number { (base, first, after) = (ledger, after, sequence) }
    }
    self.desk = desk
    self.base = base
    self.after = after
    let number = desk.journal.segmentNumber ?? 0
    files = [
      File(name: JournalFolder.snapshot(number - 1), kind: .oldSnapshot),
      File(name: JournalFolder.snapshot(number), kind: .snapshot),
      File(name: JournalFolder.end(number - 1), kind: .length),
      File(name: JournalFolder.end(number), kind: .length),
      try segment(number - 1, .older, first: first + 1),
      try segment(number, .newest, first: after + 1),
    ]
  }

  private func segment(_ number: UInt64, _ kind: File.Kind, first: UInt64) throws -> File {
    let name = JournalFolder.log(number)
    let bytes = try desk.bytes(of: name)
    let ends = bytes.indices.filter { bytes[$0] == 0x0A }.map { $0 + 1 }
    return File(name: name, kind: kind, first: first, ends: ends)
  }

  // MARK: damage

  func flip(_ file: File, _ place: Int, _ bits: UInt8) throws {
    let copy = desk.disk.copy()
    let damaged = try open(file, copy)
    let byte = try damaged.read(at: UInt64(place), upTo: 1)[0]
    try damaged.write([byte ^ bits], at: UInt64(place))
    let line = file.ends.firstIndex { $0 > place } ?? 0
    // A line end joins two lines.
    let last = file.ends.contains(place + 1) ? min(line + 1, file.ends.count - 1) : line
    let range = (line == 0 ? 0 : file.ends[line - 1])..<(file.ends.isEmpty ? 1 : file.ends[last])
    try judge(
      file, lines: line...last, bytes: range, size: nil, copy,
      "\(file.name): bits \(bits) at \(place)")
  }

  func cut(_ file: File, _ size: Int) throws {
    let copy = desk.disk.copy()
    try open(file, copy).truncate(to: UInt64(size))
    let line = file.ends.firstIndex { $0 > size } ?? 0
    let range = (line == 0 ? 0 : file.ends[line - 1])..<(file.ends.last ?? 1)
    try judge(
      file, lines: line...max(0, file.ends.count - 1), bytes: range, size: size, copy,
      "\(file.name): cut at \(size)")
  }

  private func open(_ file: File, _ disk: SimulatedDisk) throws -> any OpenFile {
    try disk.rootFolder.folder(FileName(literal: "journal"), creating: false).open(
      file.name, .write)
  }

  // MARK: judging

  /// `size` is the size of a file that was cut.
  private func judge(
    _ file: File, lines: ClosedRange<Int>, bytes: Range<Int>, size: Int?, _ disk: SimulatedDisk,
    _ words: String
  ) throws {
    let folder = try disk.rootFolder.folder(FileName(literal: "journal"), creating: false)
    let look = try JournalLook.run(folder)
    let start = try JournalRecovery.run(JournalFolder(folder), Samples.settings(), hasLists: true)
    let isSegment = file.kind == .older || file.kind == .newest
    let lost =
      isSegment ? lines.filter { $0 > 0 }.map { file.first + UInt64($0) - 1 } : []
    func check(_ isTrue: Bool, _ problem: String) throws {
      if !isTrue { throw Problem(words: "\(words): \(problem): \(look.damages), \(start)") }
    }
    try check(size != nil || lost.count <= 2, "more than two records are lost")
    try check(look.tornBytes == 0, "acknowledged bytes are called torn")
    try check(look.missing == UInt64(lost.count), "\(look.missing) of \(lost) are told")
    try check(
      start.ledger == (file.kind == .newest ? state(without: lost) : desk.ledger),
      "the state is wrong")
    try check(
      start.sequence == desk.journal.sequence && look.newest.ledger == start.ledger,
      "a look sees another state")
    switch file.kind {
    case .length:
      try check(look.isWhole && look.damages.isEmpty && start.damageCount == 0, "too much is told")
    case .snapshot, .oldSnapshot:
      let whole = UInt64(try size ?? desk.bytes(of: file.name).count)
      let damage = JournalDamage(file: "\(file.name)", offset: 0, bytes: whole)
      try check(look.damages == [damage], "\(damage) is not told")
      try check(start.damages == (file.kind == .snapshot ? [damage] : []), "a start tells another")
    case .older, .newest:
      try check(
        Self.places(look.damages, in: file.name) == bytes && look.damages.count <= 2,
        "\(bytes) is not told")
      try check(
        start.damages == (file.kind == .newest ? look.damages : []), "a start tells another")
    }
  }

  /// The bytes of damages that follow each other: a new line end divides a line.
  private static func places(_ damages: [JournalDamage], in file: FileName) -> Range<Int>? {
    guard var place = damages.first?.offset, damages.allSatisfy({ $0.file == "\(file)" }) else {
      return nil
    }
    let start = Int(place)
    for damage in damages {
      if damage.offset != place { return nil }
      place += damage.bytes
    }
    return start..<Int(place)
  }

  private func state(without lost: [UInt64]) -> Ledger {
    var ledger = base
    for place in Int(after)..<desk.recorded.count where !lost.contains(UInt64(place) + 1) {
      ledger.apply(desk.recorded[place])
    }
    return ledger
  }
}
