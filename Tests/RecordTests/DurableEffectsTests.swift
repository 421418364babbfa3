// SPDX-License-Identifier: Apache-2.0
// Many effects at once: few syncs, and a failure fails only the requests that need the failed
// effect.

import Record
import Support
import Testing
import Vocabulary

struct DurableEffectsTests {
  private func prints(
    _ count: Int, on disk: SimulatedDisk
  ) throws -> (folder: any Folder, effects: [[Effect]]) {
    let folder = try disk.rootFolder.folder(FileName(literal: "prints"), creating: true)
    try disk.rootFolder.sync()
    let effects = try (0..<count).map { number -> [Effect] in
      let temporary = try #require(FileName(".\(number).part"))
      let file = try folder.open(temporary, .create)
      try file.write([UInt8(number)], at: 0)
      return [
        .appear(
          file, in: folder, temporary: temporary, as: FileName(number: UInt64(number)))
      ]
    }
    return (folder, effects)
  }

  private func effects(on disk: SimulatedDisk) -> DurableEffects {
    DurableEffects(disk.rootFolder, rows: ResultRows(lists: disk.rootFolder))
  }

  /// The number of prints, of file syncs and of file system syncs.
  @Test(arguments: [(1, 1, 0), (4, 4, 0), (5, 0, 1), (60, 0, 1)] as [(Int, Int, Int)])
  func `few files are synced one by one, many with one call, and their folder once`(
    count: Int, single: Int, whole: Int
  ) throws {
    let disk = SimulatedDisk()
    let prints = try prints(count, on: disk)
    var effects = effects(on: disk)
    let folderSyncs = disk.count(.syncFolder)
    #expect(effects.perform(prints.effects).isEmpty)
    #expect(disk.count(.syncFile) == single && disk.count(.syncFileSystem) == whole)
    #expect(disk.count(.syncFolder) == folderSyncs + 1)
    disk.crash(seed: UInt64(count))
    let folder = try disk.rootFolder.folder(FileName(literal: "prints"), creating: false)
    for number in 0..<count {
      let file = try folder.open(FileName(number: UInt64(number)), .read)
      #expect(try file.read(at: 0, upTo: 9) == [UInt8(number)])
    }
  }

  /// The number of originals, of file syncs, of file system syncs and of folder syncs.
  @Test(arguments: [(1, 1, 0, 1), (4, 4, 0, 1), (5, 0, 1, 0)] as [(Int, Int, Int, Int)])
  func `a file under its final name needs no rename, and many need no folder sync`(
    count: Int, single: Int, whole: Int, folders: Int
  ) throws {
    let disk = SimulatedDisk()
    let folder = try disk.rootFolder.folder(FileName(literal: "originals"), creating: true)
    try disk.rootFolder.sync()
    let wanted = try (0..<count).map { number -> [Effect] in
      let file = try folder.open(FileName(number: UInt64(number)), .create)
      try file.write([UInt8(number)], at: 0)
      return [.stand(file, in: folder)]
    }
    var effects = effects(on: disk)
    let before = disk.count(.syncFolder)
    #expect(effects.perform(wanted).isEmpty)
    #expect(disk.count(.syncFile) == single && disk.count(.syncFileSystem) == whole)
    #expect(disk.count(.syncFolder) == before + folders && disk.count(.rename) == 0)
    disk.crash(seed: UInt64(count))
    let kept = try disk.rootFolder.folder(FileName(literal: "originals"), creating: false)
    for number in 0..<count {
      let file = try kept.open(FileName(number: UInt64(number)), .read)
      #expect(try file.read(at: 0, upTo: 9) == [UInt8(number)])
    }
  }

  @Test
  func
    `a file with an error of its own fails its request, although the sync of the whole succeeds`()
    throws
  {
    let disk = SimulatedDisk()
    let prints = try prints(6, on: disk)
    disk.fail(SimulatedDisk.Fault(.checkWritten, code: 5, first: 3))
    var effects = effects(on: disk)
    let failures = effects.perform(prints.effects)
    #expect(disk.count(.syncFileSystem) == 1)
    #expect(failures.count == 1 && failures[2]?.code == "system.5")
    let names = try prints.folder.names().map(\.description)
    #expect(names.filter { !$0.hasPrefix(".") }.sorted() == ["0", "1", "3", "4", "5"])
  }

  @Test func `a print that appears beside originals has its folder synced`() throws {
    let disk = SimulatedDisk()
    let prints = try prints(5, on: disk)
    let file = try prints.folder.open(FileName(literal: "made"), .create)
    var effects = effects(on: disk)
    _ = effects.perform(prints.effects + [[.stand(file, in: prints.folder)]])
    disk.crash(seed: 3)
    let names = try disk.rootFolder.folder(FileName(literal: "prints"), creating: false).names()
    #expect(names.map(\.description).sorted() == ["0", "1", "2", "3", "4", "made"])
  }

  /// The number of folders, of folder syncs and of file system syncs.
  @Test(arguments: [(1, 1, 0), (4, 4, 0), (5, 0, 1), (30, 0, 1)] as [(Int, Int, Int)])
  func `few folders are synced one by one, many with one call`(
    count: Int, single: Int, whole: Int
  ) throws {
    let disk = SimulatedDisk()
    let folders = try folders(count, on: disk)
    let before = disk.count(.syncFolder)
    var effects = effects(on: disk)
    #expect(effects.perform(folders.map { [.syncFolder($0)] }).isEmpty)
    #expect(disk.count(.syncFolder) == before + single)
    #expect(disk.count(.syncFileSystem) == whole)
    disk.crash(seed: UInt64(count))
    for number in 0..<count {
      let folder = try disk.rootFolder.folder(FileName(number: UInt64(number)), creating: false)
      #expect(try folder.has(FileName(literal: "made")))
    }
  }

  @Test func `many folders on a file system that cannot be synced are synced one by one`() throws {
    let disk = SimulatedDisk()
    let folders = try folders(6, on: disk)
    let before = disk.count(.syncFolder)
    disk.fail(SimulatedDisk.Fault(.syncFileSystem, code: 5))
    var effects = effects(on: disk)
    #expect(effects.perform(folders.map { [.syncFolder($0)] }).isEmpty)
    #expect(disk.count(.syncFolder) == before + 6)
    // The next sync of the whole would not tell the error to all whom it concerns.
    let whole = disk.count(.syncFileSystem)
    #expect(effects.perform(folders.map { [.syncFolder($0)] }).isEmpty)
    #expect(disk.count(.syncFolder) == before + 12 && disk.count(.syncFileSystem) == whole)
  }

  @Test func `a folder that several lists have opened is synced once, unless its disk has errors`()
    throws
  {
    let disk = SimulatedDisk()
    let name = FileName(literal: "done")
    let folders = try (0..<3).map { _ in try disk.rootFolder.folder(name, creating: true) }
    let before = disk.count(.syncFolder)
    var effects = effects(on: disk)
    #expect(effects.perform(folders.map { [.syncFolder($0)] }).isEmpty)
    #expect(disk.count(.syncFolder) == before + 1)
    disk.fail(SimulatedDisk.Fault(.syncFolder, code: 5))
    #expect(effects.perform(folders.map { [.syncFolder($0)] }).count == 3)
    #expect(disk.count(.syncFolder) == before + 2)
    #expect(effects.perform(folders.map { [.syncFolder($0)] }).isEmpty)
    #expect(disk.count(.syncFolder) == before + 5)
  }

  /// Folders with a name that is not synced.
  private func folders(_ count: Int, on disk: SimulatedDisk) throws -> [any Folder] {
    let folders = try (0..<count).map { number in
      try disk.rootFolder.folder(FileName(number: UInt64(number)), creating: true)
    }
    try disk.rootFolder.sync()
    for folder in folders { _ = try folder.open(FileName(literal: "made"), .create) }
    return folders
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `a row is on the disk before its photo is reported`(seed: UInt64) throws {
    let disk = SimulatedDisk()
    var effects = effects(on: disk)
    for number in 1...3 as ClosedRange<UInt32> {
      let row = ResultRow(photo: number, state: .failed, code: "http.404")
      #expect(effects.perform([[.row(ListID(1), row)]]).isEmpty)
    }
    disk.crash(seed: seed)
    let rows = ResultRows(lists: disk.rootFolder)
    for number in 1...3 as ClosedRange<UInt32> {
      #expect(try rows.row(PhotoID(list: ListID(1), number: number))?.code == "http.404")
    }
  }

  @Test func `the rows of many lists are on the disk after one call`() throws {
    let disk = SimulatedDisk()
    var effects = effects(on: disk)
    let lists = (1...6).map { ListID($0) }
    let wanted = lists.map { list in
      [Effect.row(list, ResultRow(photo: 1, state: .failed, code: "http.404"))]
    }
    #expect(effects.perform(wanted).isEmpty)
    #expect(disk.count(.syncFile) == 0 && disk.count(.syncFileSystem) == 1)
    disk.crash(seed: 6)
    let rows = ResultRows(lists: disk.rootFolder)
    for list in lists {
      #expect(try rows.row(PhotoID(list: list, number: 1))?.code == "http.404")
    }
  }

  @Test
  func `the results files of sixteen lists stay open, and the one used longest ago is closed`()
    throws
  {
    let disk = SimulatedDisk()
    var effects = effects(on: disk)
    func opens(for list: UInt64) -> Int {
      let before = disk.count(.open)
      let row = ResultRow(photo: UInt32(before) + 1, state: .filtered)
      #expect(effects.perform([[.row(ListID(list), row)]]).isEmpty)
      return disk.count(.open) - before
    }
    for list in 1...16 as ClosedRange<UInt64> { #expect(opens(for: list) == 1) }
    #expect(opens(for: 1) == 0 && opens(for: 17) == 1)
    #expect(opens(for: 1) == 0 && opens(for: 3) == 0 && opens(for: 2) == 1)
  }

  @Test func `the results files of lists that ended are closed, others stay open`() {
    let disk = SimulatedDisk()
    var effects = effects(on: disk)
    func opens(for list: UInt64) -> Int {
      let before = disk.count(.open)
      let row = ResultRow(photo: UInt32(before) + 1, state: .filtered)
      #expect(effects.perform([[.row(ListID(list), row)]]).isEmpty)
      return disk.count(.open) - before
    }
    for list in 1...3 as ClosedRange<UInt64> { #expect(opens(for: list) == 1) }
    effects.close([ListID(1), ListID(3), ListID(9)])
    #expect(opens(for: 2) == 0)
    #expect(opens(for: 1) == 1 && opens(for: 3) == 1)
  }

  @Test func `the folder of a results file is synced once, however often the file is opened`()
    throws
  {
    let disk = SimulatedDisk()
    var effects = DurableEffects(
      disk.rootFolder, rows: ResultRows(lists: disk.rootFolder), mostResults: 2)
    for round in 1...3 as ClosedRange<UInt32> {
      let before = disk.count(.syncFolder)
      for list in 1...4 as ClosedRange<UInt64> {
        let row = ResultRow(photo: round, state: .filtered)
        #expect(effects.perform([[.row(ListID(list), row)]]).isEmpty)
      }
      #expect(disk.count(.syncFolder) - before == (round == 1 ? 8 : 0))
    }
    disk.crash(seed: 4)
    let rows = ResultRows(lists: disk.rootFolder)
    for list in 1...4 as ClosedRange<UInt64> {
      #expect(try rows.row(PhotoID(list: ListID(list), number: 3)) != nil)
    }
  }

  @Test func `the results file that a list had when it was accepted needs no folder synced`() throws
  {
    let disk = SimulatedDisk()
    var effects = effects(on: disk)
    for list in [1, 3] as [UInt64] {
      let folder = try disk.rootFolder.folder(FileName(number: list), creating: true)
      _ = try folder.open(ListFolder.results, .create)
      try folder.sync()
    }
    try disk.rootFolder.sync()
    // List 2 has none, and list 3 was accepted in an earlier run.
    effects.expect([ListID(1), ListID(2)])
    let row = ResultRow(photo: 1, state: .filtered)
    for (list, syncs) in [(1, 0), (2, 2), (3, 2)] as [(UInt64, Int)] {
      let before = disk.count(.syncFolder)
      #expect(effects.perform([[.row(ListID(list), row)]]).isEmpty)
      #expect(disk.count(.syncFolder) == before + syncs, "list \(list)")
    }
    disk.crash(seed: 5)
    let rows = ResultRows(lists: disk.rootFolder)
    for list in 1...3 as ClosedRange<UInt64> {
      #expect(try rows.row(PhotoID(list: ListID(list), number: 1)) == row)
    }
  }

  @Test func `many new results files need no folder synced on its own`() throws {
    let disk = SimulatedDisk()
    var effects = effects(on: disk)
    let before = disk.count(.syncFolder)
    let row = ResultRow(photo: 1, state: .filtered)
    #expect(effects.perform((1...9).map { [.row(ListID($0), row)] }).isEmpty)
    #expect(disk.count(.syncFolder) == before && disk.count(.syncFileSystem) == 1)
    disk.crash(seed: 9)
    let rows = ResultRows(lists: disk.rootFolder)
    for list in 1...9 as ClosedRange<UInt64> {
      #expect(try rows.row(PhotoID(list: ListID(list), number: 1)) == row)
    }
  }

  @Test(arguments: 1...2)
  func `a results file whose name could not be synced has its folders synced again`(
    nth: Int
  ) throws {
    let disk = SimulatedDisk()
    var effects = effects(on: disk)
    // It had none when it was accepted.
    effects.expect([ListID(1)])
    let row = ResultRow(photo: 1, state: .filtered)
    for _ in 1..<nth { _ = effects.perform([[.row(ListID(7), row)]]) }
    disk.fail(SimulatedDisk.Fault(.syncFolder, code: 5))
    let failures = effects.perform([[.row(ListID(1), row)]])
    #expect(failures[0]?.code == "system.5")
    let before = disk.count(.syncFolder)
    #expect(effects.perform([[.row(ListID(1), row)]]).isEmpty)
    #expect(disk.count(.syncFolder) == before + 2)
  }

  @Test func `a row without a photo is left out`() throws {
    let disk = SimulatedDisk()
    var effects = effects(on: disk)
    #expect(effects.perform([[.row(ListID(1), ResultRow(photo: 0, state: .filtered))]]).isEmpty)
    #expect(try disk.rootFolder.names().isEmpty)
  }

  @Test func `an error of another file does not fail ours`() throws {
    let disk = SimulatedDisk()
    let prints = try prints(10, on: disk)
    var effects = effects(on: disk)
    disk.fail(SimulatedDisk.Fault(.syncFileSystem, code: 5))
    #expect(effects.perform(prints.effects).isEmpty)
    #expect(disk.count(.syncFile) == 10)
  }

  @Test(arguments: [SimulatedDisk.Call.syncFile, .rename])
  func `a failed effect fails its own request, and its print does not appear`(
    call: SimulatedDisk.Call
  ) throws {
    let disk = SimulatedDisk()
    let prints = try prints(3, on: disk)
    var effects = effects(on: disk)
    disk.fail(SimulatedDisk.Fault(call, code: 5, first: 2))
    let failures = effects.perform(prints.effects)
    #expect(failures.mapValues(\.kind) == [1: .machine])
    let names = try prints.folder.names().map(\.description).sorted()
    #expect(names == [".1.part", "0", "2"])
  }

  @Test(arguments: [0, 2])
  func `a file that several requests need is synced once, and fails them all`(others: Int) throws {
    let disk = SimulatedDisk()
    let prints = try prints(others, on: disk)
    let file = try disk.rootFolder.open(FileName(literal: "shared"), .create)
    var effects = effects(on: disk)
    disk.fail(SimulatedDisk.Fault(.syncFile, code: 5))
    let failures = effects.perform([[.sync(file)], [.sync(file)]] + prints.effects)
    #expect(failures.mapValues(\.kind) == [0: .machine, 1: .machine])
    #expect(disk.count(.syncFile) == others + 1)
  }

  @Test func `a folder that cannot be synced fails every print that appeared in it`() throws {
    let disk = SimulatedDisk()
    let prints = try prints(3, on: disk)
    var effects = effects(on: disk)
    disk.fail(SimulatedDisk.Fault(.syncFolder, code: 28))
    let failures = effects.perform(prints.effects + [[]])
    #expect(failures.mapValues(\.code) == [0: "disk.full", 1: "disk.full", 2: "disk.full"])
  }

  static let troubles: [(Int32, String)] = [
    (2, "system.2"), (5, "system.5"), (13, "system.13"), (27, "system.27"), (28, "disk.full"),
    (116, "system.116"), (122, "disk.full"),
  ]

  @Test(arguments: [SimulatedDisk.Call.syncFile, .rename, .syncFolder], troubles)
  func `any error of our own files is trouble of this machine`(
    call: SimulatedDisk.Call, trouble: (code: Int32, word: String)
  ) throws {
    let disk = SimulatedDisk()
    let prints = try prints(1, on: disk)
    var effects = effects(on: disk)
    disk.fail(SimulatedDisk.Fault(call, code: trouble.code))
    let failure = try #require(effects.perform(prints.effects)[0])
    #expect(failure.kind == .machine && failure.code == trouble.word)
  }

  @Test(arguments: [SimulatedDisk.Call.openFolder, .open, .write], troubles)
  func `any error that keeps a row from being written is trouble of this machine`(
    call: SimulatedDisk.Call, trouble: (code: Int32, word: String)
  ) throws {
    let disk = SimulatedDisk()
    _ = try disk.rootFolder.folder(FileName(number: 1), creating: true)
    var effects = effects(on: disk)
    disk.fail(SimulatedDisk.Fault(call, code: trouble.code))
    let row = Effect.row(ListID(1), ResultRow(photo: 1, state: .filtered, code: ""))
    let failure = try #require(effects.perform([[row]])[0])
    #expect(failure.kind == .machine && failure.code == trouble.word)
  }
}
