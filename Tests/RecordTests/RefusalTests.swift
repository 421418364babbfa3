// SPDX-License-Identifier: Apache-2.0
// The recorder's answer to a change against the rules, which it never writes.

import Record
import Support
import Testing
import Vocabulary

struct RefusalTests {
  private func open(_ disk: SimulatedDisk) throws(Failure) -> (Recorder, Recovery) {
    try Recorder.open(
      disk.rootFolder, time: SimulatedClock(), settings: Samples.settings(), died: { _ in })
  }

  /// Closes the recorder and reads its files.
  private func written(_ recorder: Recorder, _ disk: SimulatedDisk) async throws -> Recovery {
    await recorder.close()
    return try RecorderStart.run(disk.rootFolder, Samples.settings()).recovery
  }

  @Test(arguments: LedgerTests.refusals)
  func `a change against the rules is answered as overtaken and not written`(
    before: [Change], last: Change
  ) async throws {
    let disk = SimulatedDisk()
    let recorder = try open(disk).0
    try await recorder.record([Samples.accepted(1, photos: 3)] + before)
    let lists = recorder.ledger { $0.lists }
    await #expect(throws: Failure.overtaken) { try await recorder.record([last]) }
    #expect(recorder.ledger { $0.lists } == lists && recorder.ledger { $0.refused } == 1)
    let recovery = try await written(recorder, disk)
    #expect(recovery.records == UInt64(before.count) + 1 && recovery.ledger.refused == 0)
    #expect(recovery.ledger.lists == lists)
  }

  @Test(arguments: LedgerTests.refusals)
  func `a change is judged by those before it in the same call`(
    before: [Change], last: Change
  ) async throws {
    let disk = SimulatedDisk()
    let recorder = try open(disk).0
    let all = [Samples.accepted(1, photos: 3)] + before + [last, .rejected(ListID(5), code: "x")]
    await #expect(throws: Failure.overtaken) { try await recorder.record(all) }
    #expect(recorder.ledger { $0.refused } == 1 && recorder.ledger { $0.nextList } == ListID(6))
    let ledger = recorder.ledger { $0.lists }
    let recovery = try await written(recorder, disk)
    #expect(recovery.records == UInt64(before.count) + 2 && recovery.ledger.lists == ledger)
  }

  /// Changes whose rules concern more than one photo, in one call and over several.
  @Test(arguments: [false, true])
  func `a whole list may be recorded at once or in steps`(isTogether: Bool) async throws {
    let disk = SimulatedDisk()
    let recorder = try open(disk).0
    let (one, two) = (Samples.photo(1, 1), Samples.photo(1, 2))
    let some = Samples.contents(1)
    let changes: [Change] = [
      Samples.accepted(1, photos: 2), .downloaded(one, some), .lost(one), .died(one),
      .paused(ListID(1)), .filtered(two, some), .resumed(ListID(1)), .downloaded(one, some),
      .failed(one, .filter, code: "x", attempt: 1), .finished(ListID(1)),
    ]
    for step in isTogether ? [changes] : changes.map({ [$0] }) {
      try await recorder.record(step)
    }
    let recovery = try await written(recorder, disk)
    #expect(recovery.records == 10 && recovery.ledger[ListID(1)]?.state == .finished)
    #expect(recovery.ledger == recorder.ledger { $0 })
  }

  @Test func `of many callers with the same change only one gets it recorded`() async throws {
    let disk = SimulatedDisk()
    let recorder = try open(disk).0
    try await recorder.record([Samples.accepted(1, photos: 1)])
    let recorded = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<64 {
        group.addTask {
          do throws(Failure) {
            try await recorder.record([.filtered(Samples.photo(1, 1), Samples.contents(1))])
            return true
          } catch {
            guard error == .overtaken else { throw error }
            return false
          }
        }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(recorded == 1)
    #expect(try await written(recorder, disk).records == 2)
  }

  @Test func `archived lists are forgotten, and known again after a restart`() async throws {
    let disk = SimulatedDisk()
    let lists = 1...LedgerTests.tooMany
    let recorder = try open(disk).0
    try await recorder.record(
      lists.flatMap { [Samples.accepted($0, photos: 0), .finished(ListID($0))] })
    for list in lists { recorder.archived(ListID(list)) }
    #expect(recorder.ledger { $0.lists.count } == Ledger.finalListsKept)
    await recorder.close()
    let again = try open(disk).0
    #expect(again.ledger { $0.lists.count } == lists.count)
    for list in lists { again.archived(ListID(list)) }
    #expect(again.ledger { $0.lists.count } == Ledger.finalListsKept)
    await again.close()
  }
}
