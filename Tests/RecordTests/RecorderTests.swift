// SPDX-License-Identifier: Apache-2.0
// The recorder with its threads: on a real file system with many callers, and on a simulated one with
// trouble.

import Linux
import Record
import Support
import Testing
import Vocabulary

struct RecorderTests {
  typealias Log = CallLog<Transition>

  private func open(
    _ folder: any Folder, _ log: Log = Log(), died: @escaping @Sendable (Failure) -> Void = { _ in }
  ) throws(Failure) -> Recorder {
    try Recorder.open(
      folder, time: SimulatedClock(), settings: Samples.settings(),
      durable: { for transition in $0 { log.add(transition) } }, died: died
    ).0
  }

  @Test func `many callers share syncs, and each finds its record after a restart`() async throws {
    try await withScratchFolder { folder in
      let log = Log()
      let recorder = try open(folder, log)
      try await recorder.record([Samples.accepted(1, photos: 640)])
      await withTaskGroup { group in
        for caller in 0..<64 as Range<UInt32> {
          group.addTask {
            for step in 0..<10 as Range<UInt32> {
              let photo = Samples.photo(1, caller * 10 + step + 1)
              do throws(Failure) {
                try await recorder.record([
                  .downloaded(photo, Samples.contents(1)), .filtered(photo, Samples.contents(2)),
                ])
              } catch { Issue.record("\(error)") }
              #expect(recorder.ledger { $0.state(of: photo) } == .filtered)
            }
          }
        }
      }
      await recorder.close()
      let counts = recorder.counts
      #expect(counts.records == 1281)
      #expect(counts.groups < 641)
      let ledger = recorder.ledger { $0 }
      #expect(ledger[ListID(1)]?.counts.filtered == 640 && ledger.refused == 0)
      // Reported in the order of the journal file, and each caller's changes together.
      var replayed = Ledger()
      for transition in log.entries { replayed.apply(transition) }
      #expect(replayed == ledger && log.entries.count == 1281)
      for pair in stride(from: 1, to: log.entries.count, by: 2) {
        guard case .downloaded(let photo, _) = log.entries[pair].change,
          case .filtered(photo, _) = log.entries[pair + 1].change
        else {
          Issue.record("the changes of one call were separated")
          break
        }
      }
      let again = try open(folder)
      #expect(again.ledger { $0 } == ledger)
      await again.close()
    }
  }

  @Test func `effects are durable before their record`() async throws {
    let disk = SimulatedDisk()
    let recorder = try open(disk.rootFolder)
    let list = recorder.newList()
    try await recorder.record([Samples.accepted(list.number, photos: 50)])
    let prints = try disk.rootFolder.folder(FileName(literal: "prints"), creating: true)
    try disk.rootFolder.sync()
    try await withThrowingTaskGroup { group in
      for number in 1...50 as ClosedRange<UInt32> {
        group.addTask {
          let temporary = try #require(FileName(".\(number)"))
          let file = try prints.open(temporary, .create)
          try file.write([7], at: 0)
          let photo = PhotoID(list: list, number: number)
          let row = ResultRow(photo: number, state: .filtered, code: "")
          try await recorder.record(
            [.filtered(photo, Contents(size: 1, hash: 7))],
            after: [
              .appear(
                file, in: prints, temporary: temporary, as: FileName(number: UInt64(number))),
              .row(list, row),
            ])
        }
      }
      try await group.waitForAll()
    }
    disk.crash(seed: 1)
    let again = try open(disk.rootFolder)
    let folder = try disk.rootFolder.folder(FileName(literal: "prints"), creating: false)
    for number in 1...50 as ClosedRange<UInt32> {
      let file = try folder.open(FileName(number: UInt64(number)), .read)
      #expect(try file.read(at: 0, upTo: 2) == [7])
      #expect(try again.results.row(PhotoID(list: list, number: number))?.state == .filtered)
    }
    #expect(again.ledger { $0[list]?.counts.filtered } == 50)
    #expect(again.newList() == ListID(list.number + 1))
    await recorder.close()
    await again.close()
  }

  @Test func `effects that fail among those of others fail their own record only`() async throws {
    let disk = SimulatedDisk()
    let recorder = try open(disk.rootFolder)
    try await recorder.record([Samples.accepted(1, photos: 60)])
    await withTaskGroup { group in
      for number in 1...60 as ClosedRange<UInt32> {
        group.addTask {
          let photo = Samples.photo(1, number)
          let effect = number % 3 == 0 ? Effect.none : .syncFolder(disk.rootFolder)
          do throws(Failure) {
            let isRecorded = try await recorder.record(
              [.downloaded(photo, Samples.contents(1))], after: [effect])
            #expect(isRecorded && number % 3 != 0)
          } catch { #expect(error.kind == .machine && number % 3 == 0) }
          let state = recorder.ledger { $0.state(of: photo) }
          #expect(state == (number % 3 == 0 ? .new : .downloaded))
        }
      }
    }
    await recorder.close()
    #expect(recorder.counts.records == 41)
  }

  /// The clock stands still: after the first groups each one rests.
  @Test(arguments: [false, true])
  func `closing finishes what rests for others to come`(hasEffects: Bool) async throws {
    for round in 0..<20 {
      let disk = SimulatedDisk()
      let recorder = try open(disk.rootFolder)
      let effects: [Effect] = hasEffects ? [.syncFolder(disk.rootFolder)] : []
      let photos = UInt32(GroupPace.ahead) + 9
      try await recorder.record([Samples.accepted(1, photos: photos)], after: effects)
      for number in 1..<photos {
        try await recorder.record([.lost(Samples.photo(1, number))], after: effects)
      }
      let answers = CallLog<Bool>()
      let last = Change.downloaded(Samples.photo(1, photos), Samples.contents(1))
      recorder.record([last], after: effects) { answers.add($0 == .success(true)) }
      // Sooner and later in its rest.
      for _ in 0..<(round * 50) { await Task.yield() }
      await recorder.close()
      #expect(answers.entries == [true])
      #expect(recorder.ledger { $0.state(of: Samples.photo(1, photos)) } == .downloaded)
    }
  }

  @Test func `a cancelled task's record is finished all the same`() async throws {
    let disk = SimulatedDisk()
    let recorder = try open(disk.rootFolder)
    let task = Task {
      try await recorder.record([Samples.accepted(1, photos: 1)])
    }
    task.cancel()
    #expect(try await task.value)
    #expect(recorder.ledger { $0[ListID(1)]?.state } == .accepted)
    await recorder.close()
    await #expect(throws: Failure.cancelled) { try await recorder.record([.paused(ListID(1))]) }
    await recorder.close()
  }

  @Test func `what is against the rules is not reported, and an effect alone can be waited for`()
    async throws
  {
    let disk = SimulatedDisk()
    let log = Log()
    let recorder = try open(disk.rootFolder, log)
    let isWhole = try await recorder.record([.paused(ListID(9)), Samples.accepted(1, photos: 1)])
    #expect(!isWhole)
    #expect(try await recorder.record([], after: [.syncFolder(disk.rootFolder)]))
    await recorder.close()
    #expect(log.entries.map(\.change) == [Samples.accepted(1, photos: 1)])
    #expect(recorder.ledger { $0.refused } == 1)
  }

  @Test func `a full disk is told to the caller, and the next call works when there is room`()
    async throws
  {
    let disk = SimulatedDisk()
    let recorder = try open(disk.rootFolder)
    disk.fail(SimulatedDisk.Fault(.write, code: 28, isPartial: true))
    let failure = await #expect(throws: Failure.self) {
      try await recorder.record([Samples.accepted(1, photos: 1)])
    }
    #expect(failure?.kind == .machine && failure?.code == "disk.full")
    #expect(recorder.ledger { $0.lists.isEmpty })
    try await recorder.record([Samples.accepted(1, photos: 1)])
    #expect(recorder.ledger { $0.lists.count } == 1)
    await recorder.close()
  }

  @Test(arguments: [5, 27, 116] as [Int32])
  func `when nothing can be recorded any more it is told once, and every caller is answered`(
    code: Int32
  ) async throws {
    let disk = SimulatedDisk()
    let deaths = CallLog<Failure>()
    let recorder = try open(disk.rootFolder, died: { deaths.add($0) })
    disk.fail(SimulatedDisk.Fault(.syncFile, code: code, isPermanent: true))
    await withTaskGroup { group in
      for number in 1...20 as ClosedRange<UInt64> {
        group.addTask {
          let failure = await #expect(throws: Failure.self) {
            try await recorder.record([Samples.accepted(number, photos: 1)])
          }
          #expect(failure?.kind == .machine && failure?.code == "system.\(code)")
        }
      }
    }
    await recorder.close()
    #expect(deaths.entries.count == 1)
    #expect(recorder.ledger { $0.lists.isEmpty })
  }
}
