// SPDX-License-Identifier: Apache-2.0
// The check of the state folder's lineage against a record and a witness. `LineageTests` test the judgement.

import Record
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct LineageCheckTests {
  private let file = FileName(literal: "lineage")

  private func settle(_ bench: DiskBench, _ witness: NumberWitness? = nil) async -> String? {
    await LineageCheck(
      state: bench.folders.state, witness: witness ?? NumberWitness(bench.folders.done),
      recorder: bench.recorder, clock: bench.clock, narrator: bench.narrator()
    ).settle()
  }

  private func next(_ bench: DiskBench) -> UInt64 { bench.recorder.ledger { $0.nextList.number } }

  private func known(_ bench: DiskBench) throws -> Lineage {
    try #require(Lineage(text: bench.folders.state.text(file) ?? ""))
  }

  @Test func `the first start begins a lineage, and later starts continue it`() async throws {
    try await DiskBench.use { bench in
      let id = try #require(await settle(bench))
      #expect(try known(bench).id == id && known(bench).generation == 1)
      #expect(await settle(bench) == id)
      #expect(try known(bench).generation == 1 && next(bench) == 1)
      #expect(bench.told.all().isEmpty)
    }
  }

  @Test func `a copy of the state folder numbers its lists by the time, and says so`() async throws
  {
    try await DiskBench.use { bench in
      let id = try #require(await settle(bench))
      let text = try #require(try bench.folders.state.text(file))
      try bench.folders.state.put(FileName(literal: "copy"), text)
      try bench.folders.state.rename(
        FileName(literal: "copy"), to: bench.folders.state, as: file, replacing: true)
      bench.clock.setWallTime(1_795_000_000_000)
      let copied = try #require(await settle(bench))
      #expect(copied != id && next(bench) == 1_795_000_000_000 - 1_767_225_600_000 + 1)
      #expect(try known(bench).generation == 2)
      #expect(bench.told.holds("is a copy or a restored backup"))
      #expect(await settle(bench) == copied)
    }
  }

  @Test func `a record that lacks a reported list is older`() async throws {
    try await DiskBench.use { bench in
      let id = try #require(await settle(bench))
      let witness = NumberWitness(bench.folders.done)
      witness.note(ListID(40))
      await witness.flush(as: id)
      try await bench.add(5)
      bench.clock.setWallTime(0)
      #expect(await settle(bench) != id)
      #expect(next(bench) == 41)
      #expect(bench.told.holds("its record ends with list 5, and list 40 was reported"))
      // The next start keeps the numbers above the floor, though no list was accepted.
      #expect(try known(bench).floor == ListID(40))
    }
  }

  @Test func `the witness learns the recorded lists, but not numbers that are only reserved`()
    async throws
  {
    try await DiskBench.use { bench in
      try await bench.add(5)
      bench.recorder.reserve(upTo: ListID(90))
      let witness = NumberWitness(bench.folders.done)
      let id = try #require(await settle(bench, witness))
      await witness.flush(as: id)
      #expect(witness.read(id).highest == ListID(5))
    }
  }

  @Test func `a witness that cannot be read is told, and a new state numbers by the time`()
    async throws
  {
    try await DiskBench.use { bench in
      _ = try bench.folders.done.folder(
        FileName(literal: ".darkroom-0011223344556677"), creating: true)
      bench.clock.setWallTime(1_795_000_000_000)
      #expect(await settle(bench) != nil)
      #expect(bench.told.holds("the numbers of lists reported before are not known"))
      #expect(next(bench) > 1_795_000_000_000 - 1_767_225_600_000)
    }
  }

  @Test func `a lineage that cannot be read as text is unknown`() async throws {
    try await DiskBench.use { bench in
      try await bench.add(5)
      let witness = NumberWitness(bench.folders.done)
      witness.note(ListID(5))
      await witness.flush(as: "0011223344556677")
      try bench.folders.state.put(file, "damaged")
      #expect(await settle(bench) != nil)
      #expect(bench.told.holds("is a copy or a restored backup"))
      #expect(try known(bench).generation == 1)
    }
  }

  @Test func `a lineage that the disk does not give is made anew, and numbers begin with the time`()
    async throws
  {
    try await DiskBench.use { bench in
      let id = try #require(await settle(bench))
      try await bench.add(5)
      bench.clock.setWallTime(1_795_000_000_000)
      bench.disk.fail(.broken(.read))
      let next = try #require(await settle(bench))
      bench.disk.fail(nil)
      #expect(next != id && self.next(bench) == 1_795_000_000_000 - 1_767_225_600_000 + 1)
      #expect(bench.told.holds("may be a copy or a restored backup, which is not known: "))
      #expect(await settle(bench) == next)
    }
  }

  @Test(arguments: [SimulatedDisk.Call.open, .write, .syncFile, .rename])
  func `trouble with the file is reported, and the start continues`(
    call: SimulatedDisk.Call
  ) async throws {
    try await DiskBench.use { bench in
      bench.disk.fail(.broken(call))
      #expect(await settle(bench) == nil)
      #expect(bench.told.holds("no start recognises a restored state folder"))
      bench.disk.fail(nil)
      #expect(await settle(bench) != nil)
    }
  }

  @Test func `a done folder that cannot be read proves nothing`() async throws {
    try await DiskBench.use { bench in
      let id = try #require(await settle(bench))
      let check = LineageCheck(
        state: bench.folders.state, witness: NumberWitness(brokenFolder()),
        recorder: bench.recorder, clock: bench.clock, narrator: bench.narrator())
      #expect(await check.settle() == id)
      #expect(bench.told.all().isEmpty)
    }
  }
}
