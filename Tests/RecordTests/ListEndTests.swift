// SPDX-License-Identifier: Apache-2.0
// The end of a list beside changes of its photos whose effects are being made durable: a row or a print without its
// record would contradict the counts of a list that is over, whose states are forgotten.

import Linux
import Record
import Support
import Testing
import Vocabulary

struct ListEndTests {
  /// A recorder with two lists of three photos, and a folder whose syncs hang.
  private struct Bench {
    let gate = DiskGate()
    let answers = CallLog<String>()
    let recorder: Recorder
    let folder: GatedFolder

    init() async throws {
      let disk = SimulatedDisk()
      recorder = try Recorder.open(
        disk.rootFolder, time: SimulatedClock(), settings: Samples.settings(), died: { _ in }
      ).0
      folder = GatedFolder(disk.rootFolder, gate)
      try await recorder.record([
        Samples.accepted(1, photos: 3), Samples.accepted(2, photos: 3),
      ])
      gate.close(.sync)
    }

    /// A print that waits for its folder.
    func filter(_ photo: PhotoID) {
      record(
        "filtered \(photo.number)", [.filtered(photo, Samples.contents(1))],
        [
          .row(photo.list, ResultRow(photo: photo.number, state: .filtered)),
          .syncFolder(folder),
        ])
    }

    func record(_ name: String, _ changes: [Change], _ effects: [Effect] = []) {
      recorder.record(changes, after: effects) { answer in
        switch answer {
        case .success: answers.add(name)
        case .failure(let failure): answers.add("\(name): \(failure.code)")
        }
      }
    }
  }

  @Test func `the end of a list does not overtake a photo whose row is written`() async throws {
    let bench = try await Bench()
    bench.filter(Samples.photo(1, 1))
    #expect(await bench.gate.visited())
    bench.record("cancelled", [.cancelled(ListID(1))])
    // Another list has nothing to wait for.
    try await bench.recorder.record([.cancelled(ListID(2))])
    #expect(bench.answers.entries.isEmpty)
    bench.gate.open()
    await bench.recorder.close()
    #expect(bench.answers.entries == ["filtered 1", "cancelled"])
    let entry = bench.recorder.ledger { $0[ListID(1)] }
    #expect(entry?.state == .cancelled && entry?.counts == PhotoCounts(new: 2, filtered: 1))
  }

  @Test func `a photo after the end of its list gets neither row nor print`() async throws {
    let bench = try await Bench()
    bench.filter(Samples.photo(1, 1))
    #expect(await bench.gate.visited())
    bench.record("cancelled", [.cancelled(ListID(1))])
    // In the group of the end, and behind it.
    bench.filter(Samples.photo(1, 2))
    bench.gate.open()
    while !bench.answers.entries.contains("cancelled") { await Task.yield() }
    bench.filter(Samples.photo(1, 3))
    await bench.recorder.close()
    #expect(
      Set(bench.answers.entries) == [
        "filtered 1", "cancelled", "filtered 2: overtaken", "filtered 3: overtaken",
      ])
    let rows = bench.recorder.results
    let found = try (1...3).map { try rows.row(Samples.photo(1, $0))?.state }
    #expect(found == [.filtered, nil, nil])
  }

  @Test func `what was only downloaded counts as new when its list is over`() {
    var ledger = Ledger()
    let photo = Samples.photo(1, 1)
    for transition in Samples.at([
      Samples.accepted(1, photos: 3), .downloaded(photo, Samples.contents(1)),
      .filtered(Samples.photo(1, 2), Samples.contents(1)), .cancelled(ListID(1)),
    ]) {
      ledger.apply(transition)
    }
    #expect(ledger[ListID(1)]?.counts == PhotoCounts(new: 2, filtered: 1))
    #expect(ledger.bequests[ListID(1)] == [1: Samples.contents(1)])
  }
}
