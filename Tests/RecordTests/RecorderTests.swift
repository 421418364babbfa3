// SPDX-License-Identifier: Apache-2.0
// The recorder with its threads: on a real file system with many callers, and on a simulated one with
// faults.

import Linux
import Record
import Support
import Testing
import Vocabulary

struct RecorderTests {
  private func open(
    _ folder: any Folder, died: @escaping @Sendable (Failure) -> Void = { _ in }
  ) throws(Failure) -> Recorder {
    try Recorder.open(
      folder, time: SimulatedClock(), settings: Samples.settings(),
      died: died
    ).0
  }

  @Test func `many callers share syncs, and each finds its record after a restart`() async throws {
    try await withScratchFolder { folder in
      let recorder = try open(folder)
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
              #expect(recorder.ledger { $0.state(of: photo) } == .known(.filtered))
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
      try expectPairs(in: folder)
      let again = try open(folder)
      #expect(again.ledger { $0 } == ledger)
      await again.close()
    }
  }

  @Test func `a segment that somebody removes is told once, and its records are in the next one`()
    async throws
  {
    try await withScratchFolder { folder in
      let told = CallLog<Failure>()
      let (recorder, _) = try Recorder.open(
        folder, time: SimulatedClock(), settings: Samples.settings(), lost: { told.add($0) },
        died: { _ in Issue.record("it takes records") })
      try await recorder.record([Samples.accepted(1, photos: 3)])
      let journal = try folder.folder(FileName(literal: "journal"), creating: false)
      for name in try journal.names() where name.hasSuffix(".log") { try journal.remove(name) }
      for number in 1...2 as ClosedRange<UInt32> {
        try await recorder.record([.downloaded(Samples.photo(1, number), Samples.contents(1))])
      }
      await recorder.close()
      #expect(told.entries.map(\.code) == ["journal.segment"])
      let ledger = recorder.ledger { $0 }
      let again = try open(folder)
      #expect(again.ledger { $0 } == ledger && ledger[ListID(1)]?.counts.downloaded == 2)
      await again.close()
    }
  }

  /// Expects the changes of each call to stand together in the file.
  private func expectPairs(in folder: any Folder) throws {
    let journal = try folder.folder(FileName(literal: "journal"), creating: false)
    let logs = try journal.names().filter { "\($0)".hasSuffix(".log") }
    let file = try journal.open(try #require(logs.max()), .read)
    let text = String(decoding: try file.read(at: 0, upTo: 1 << 20), as: UTF8.self)
    let steps = text.split(separator: "\n").map { $0.split(separator: " ") }
      .filter { ["downloaded", "filtered"].contains($0.dropFirst(3).first) }
    #expect(steps.count == 1280)
    for pair in stride(from: 0, to: steps.count - 1, by: 2) {
      let (first, second) = (steps[pair], steps[pair + 1])
      guard first[3] == "downloaded", second[3] == "filtered", first[5] == second[5] else {
        Issue.record("the changes of one call were separated: \(first) \(second)")
        break
      }
    }
  }

  @Test func `the results file of a list is closed when the list is archived`() async throws {
    let disk = SimulatedDisk()
    let recorder = try open(disk.rootFolder)
    let lists = [recorder.newList(), recorder.newList()]
    func opens(_ list: ListID, photo: UInt32) async throws(Failure) -> Int {
      let before = disk.count(.open)
      try await recorder.record([], after: [.row(list, ResultRow(photo: photo, state: .filtered))])
      return disk.count(.open) - before
    }
    let folder = try disk.rootFolder.folder(FileName(literal: "lists"), creating: false)
    for list in lists {
      // As Accept leaves it.
      _ = try folder.folder(ListFolder.name(list), creating: true).open(ListFolder.results, .create)
      try await recorder.record([Samples.accepted(list.number, photos: 2)])
      #expect(try await opens(list, photo: 1) == 1)
    }
    try await recorder.record([.cancelled(lists[0])])
    recorder.archived(lists[0])
    #expect(try await opens(lists[1], photo: 2) == 0)
    #expect(try await opens(lists[0], photo: 2) == 1)
    await recorder.close()
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

  @Test func `an effect that fails among others fails its own record only`() async throws {
    let disk = SimulatedDisk()
    let recorder = try open(disk.rootFolder)
    try await recorder.record([Samples.accepted(1, photos: 60)])
    await withTaskGroup { group in
      for number in 1...60 as ClosedRange<UInt32> {
        group.addTask {
          let photo = Samples.photo(1, number)
          let effect = number % 3 == 0 ? Effect.none : .syncFolder(disk.rootFolder)
          do throws(Failure) {
            try await recorder.record(
              [.downloaded(photo, Samples.contents(1))], after: [effect])
            #expect(number % 3 != 0)
          } catch { #expect(error.kind == .machine && number % 3 == 0) }
          let state = recorder.ledger { $0.state(of: photo) }
          #expect(state == .known(number % 3 == 0 ? .new : .downloaded))
        }
      }
    }
    await recorder.close()
    #expect(recorder.counts.records == 41)
  }

  @Test func `an effect that fails alone leaves nothing to record, and the next call works`()
    async throws
  {
    let disk = SimulatedDisk()
    let recorder = try open(disk.rootFolder)
    let list = Samples.accepted(1, photos: 1)
    await #expect(throws: Failure.self) { try await recorder.record([list], after: [.none]) }
    #expect(recorder.counts.groups == 0 && recorder.ledger { $0.lists.isEmpty })
    try await recorder.record([list], after: [.syncFolder(disk.rootFolder)])
    await recorder.close()
    #expect(recorder.counts.records == 1 && recorder.ledger { $0.lists.count } == 1)
  }

  /// The clock stands still, so every group after the first ones rests.
  @Test(arguments: [false, true])
  func `closing finishes a group that is resting`(hasEffects: Bool) async throws {
    for round in 0..<20 {
      let disk = SimulatedDisk()
      let recorder = try open(disk.rootFolder)
      let effects: [Effect] = hasEffects ? [.syncFolder(disk.rootFolder)] : []
      let photos = UInt32(GroupPace.ahead) + 9
      try await recorder.record([Samples.accepted(1, photos: photos)], after: effects)
      for number in 1..<photos {
        try await recorder.record([.died(Samples.photo(1, number))], after: effects)
      }
      let answers = CallLog<Bool>()
      let last = Change.downloaded(Samples.photo(1, photos), Samples.contents(1))
      recorder.record([last], after: effects) { answers.add((try? $0.get()) != nil) }
      // Earlier or later in the rest.
      for _ in 0..<(round * 50) { await Task.yield() }
      await recorder.close()
      #expect(answers.entries == [true])
      #expect(recorder.ledger { $0.state(of: Samples.photo(1, photos)) } == .known(.downloaded))
    }
  }

  @Test func `the record of a cancelled task is finished nevertheless`() async throws {
    let disk = SimulatedDisk()
    let recorder = try open(disk.rootFolder)
    let task = Task {
      try await recorder.record([Samples.accepted(1, photos: 1)])
    }
    task.cancel()
    try await task.value
    #expect(recorder.ledger { $0[ListID(1)]?.state } == .accepted)
    await recorder.close()
    await #expect(throws: Failure.cancelled) { try await recorder.record([.paused(ListID(1))]) }
    await recorder.close()
  }

  @Test func `a caller can wait for an effect alone`() async throws {
    let disk = SimulatedDisk()
    let recorder = try open(disk.rootFolder)
    try await recorder.record([], after: [.syncFolder(disk.rootFolder)])
    await recorder.close()
    #expect(recorder.counts.records == 0)
  }

  @Test func `an effect alone is answered after its sync, and with its failure`() async throws {
    let disk = SimulatedDisk()
    let recorder = try open(disk.rootFolder)
    disk.fail(.init(.syncFolder, code: 5))
    let failure = await #expect(throws: Failure.self) {
      try await recorder.record([], after: [.syncFolder(disk.rootFolder)])
    }
    #expect(failure?.kind == .machine)
    disk.fail(nil)
    let file = try disk.rootFolder.open(FileName(literal: "print"), .create)
    try file.write([1, 2, 3], at: 0)
    try await recorder.record([], after: [.sync(file), .syncFolder(disk.rootFolder)])
    disk.crash(seed: 1)
    let kept = try disk.rootFolder.open(FileName(literal: "print"), .read).read(at: 0, upTo: 9)
    #expect(kept == [1, 2, 3])
    await recorder.close()
  }

  @Test func `the files and folders of many lists are durable in few groups, without a record`()
    async throws
  {
    let disk = SimulatedDisk()
    let recorder = try open(disk.rootFolder)
    let name = FileName(literal: "made")
    let syncs = { [SimulatedDisk.Call.syncFile, .syncFolder, .syncFileSystem].map(disk.count) }
    let before = syncs().reduce(0, +)
    await withTaskGroup { group in
      for number in 1...64 as ClosedRange<UInt64> {
        group.addTask {
          do {
            let folder = try disk.rootFolder.folder(FileName(number: number), creating: true)
            let file = try folder.open(name, .create)
            try file.write([7], at: 0)
            let all: [SyncStep] = [.file(file), .folder(folder), .folder(disk.rootFolder)]
            try await recorder.sync(number == 9 ? all + [.file(FailedFile())] : all)
            #expect(number != 9)
          } catch {
            #expect(number == 9 && (error as? Failure)?.kind == .machine, "\(error)")
          }
        }
      }
    }
    #expect(syncs().reduce(0, +) - before < 3 * 64)
    await recorder.close()
    #expect(recorder.counts.records == 0)
    disk.crash(seed: 1)
    for number in 1...64 as ClosedRange<UInt64> where number != 9 {
      let folder = try disk.rootFolder.folder(FileName(number: number), creating: false)
      #expect(try folder.open(name, .read).read(at: 0, upTo: 2) == [7])
    }
  }

  @Test func `what is on another disk, which may hang, is not synced by the thread of records`()
    async throws
  {
    try TestHomes.settle()
    let disk = SimulatedDisk()
    let recorder = try open(disk.rootFolder)
    let (near, far) = (DiskGate(), DiskGate())
    let name = FileName(literal: "list")
    let files = try [
      GatedFolder(disk.rootFolder, near), GatedFolder(disk.rootFolder, far, device: 2),
    ]
    .map { try $0.open(name, .ensure) }
    try await recorder.sync(
      files.map { .file($0) } + [
        .folder(GatedFolder(disk.rootFolder, near)),
        .folder(GatedFolder(disk.rootFolder, far, device: 2)),
      ])
    #expect(near.count(.sync) == 2 && near.threads(.sync) == ["groups"])
    #expect(far.count(.sync) == 2 && far.threads(.sync) == ["test-disk"])
    far.close(.sync)
    let hanging = Task { try await recorder.sync([.file(files[1])]) }
    #expect(await far.visited())
    try await recorder.sync([.file(files[0])])
    far.open()
    try await hanging.value
    await recorder.close()
  }

  @Test func `a full disk fails the call, and the next call works once there is room`()
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
  func `the end of the journal is reported once, and every caller is answered`(
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
    let answers = CallLog<String>()
    for effects in [[], [Effect.syncFolder(disk.rootFolder)]] {
      recorder.record([.paused(ListID(1))], after: effects) { answer in
        if case .failure(let failure) = answer { answers.add(failure.code) }
      }
    }
    #expect(answers.entries == ["system.\(code)", "system.\(code)"], "at once, without a thread")
    await recorder.close()
    #expect(deaths.entries.count == 1)
    #expect(recorder.ledger { $0.lists.isEmpty })
  }

  /// The writer is held in a write; the requests that gather meanwhile come from callers and from the syncer.
  @Test func `requests that gather while the disk is slow are all recorded`() async throws {
    try await withScratchFolder { folder in
      let gate = DiskGate()
      let recorder = try open(GatedFolder(folder, gate))
      try await recorder.record([Samples.accepted(1, photos: 9)])
      gate.close(.write)
      let answers = CallLog<Bool>()
      func record(_ photo: UInt32, _ effects: [Effect] = []) {
        let change = Change.downloaded(Samples.photo(1, photo), Samples.contents(1))
        recorder.record([change], after: effects) { answers.add((try? $0.get()) != nil) }
      }
      record(1)
      #expect(await gate.visited())
      record(2)
      let cut = Cut()
      let synced = EventBoard(0)
      cut.onStep { _ in synced.change { $0 += 1 } }
      // Each request is passed on before the effects of the next one.
      for photo in 3...5 as ClosedRange<UInt32> {
        record(photo, [.sync(CutFile(MemoryFile(), cut, "original"))])
        let count = Int(photo) - 2
        #expect(await synced.wait { $0 == count })
      }
      gate.open()
      await recorder.close()
      #expect(answers.entries == [true, true, true, true, true])
      #expect(recorder.ledger { $0[ListID(1)]?.counts.downloaded } == 5)
    }
  }

  @Test func `numbers are reserved and lists forgotten through the recorder`() async throws {
    let recorder = try open(SimulatedDisk().rootFolder)
    recorder.reserve(upTo: ListID(8))
    let list = recorder.newList()
    #expect(list == ListID(9))
    let photo = PhotoID(list: list, number: 1)
    try await recorder.record([
      Samples.accepted(list.number, photos: 1), .downloaded(photo, Samples.contents(1)),
      .cancelled(list),
    ])
    #expect(recorder.ledger { $0.bequests[list] } == [1: Samples.contents(1)])
    recorder.dropBequest(of: list)
    #expect(recorder.ledger { $0.bequests[list] }.isEmpty)
    recorder.forget(list)
    #expect(recorder.ledger { $0[list] } == nil && recorder.newList() == ListID(10))
    await recorder.close()
  }

  /// In a process of its own: the fault would meet the recorders of other tests.
  @Test func `a machine without room for a thread is in trouble, and the start says so`() async {
    await #expect(processExitsWith: .success) {
      for thread in ["syncer", "journal"] {
        FaultPlan.set(FaultPlan.Fault("pthread_create", on: thread, code: 11, isPermanent: true))
        let failure = #expect(throws: Failure.self) {
          try Recorder.open(
            SimulatedDisk().rootFolder, time: SimulatedClock(), settings: Samples.settings(),
            died: { _ in })
        }
        #expect(failure?.kind == .machine && failure?.reason.contains(thread) == true)
      }
    }
  }
}
