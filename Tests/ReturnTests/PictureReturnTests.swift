// SPDX-License-Identifier: Apache-2.0
// Dropped pictures that come back: killed at every step and restarted, failed at every step and repeated.

import Files
import Linux
import Return
import Support
import Synchronization
import Testing
import Vocabulary

@Suite struct PictureReturnTests {
  private static let name = FileName(literal: "Barn.plist")
  /// Paths in the inbox, and whether the picture became a print.
  private static let pictures: [(path: [String], isPrint: Bool)] = [
    (["Barn", "door.jpg"], true), (["Barn", "2026", "hay.png"], true),
    (["Barn", "2026", "torn.jpg"], false), (["Barn", "cut.jpg"], false),
  ]

  private func bench() throws -> ReturnBench {
    let bench = try ReturnBench()
    let folder = try bench.add(1)
    var rows: [RollRow] = []
    for (place, picture) in Self.pictures.enumerated() {
      let name = ListFolder.picture(UInt32(place + 1))
      try folder.put(name, picture.path.joined(separator: "/"))
      rows.append(
        RollRow(
          path: picture.path.compactMap { FileName($0) }, inode: 1, modified: 1,
          sum: try FileCopy.sum(folder.open(name, .read), upTo: 1000)))
    }
    try RollFile(rows: rows, base: 1).write(in: folder)
    return bench
  }

  private static func outcome() throws(Failure) -> ListOutcome {
    let photos = pictures.map { picture in
      let print = PhotoOutcome.Print(name: "a", sha256: "", bytes: 1, width: 1, height: 1)
      return PhotoOutcome(
        name: picture.path.dropFirst().joined(separator: "/"), url: "dropped:///a",
        ending: picture.isPrint
          ? .filtered(print) : .failed(code: "jpeg.truncated", reason: "cut", isListed: true))
    }
    return ListResultsTests.outcome(ListID(1), photos: photos)
  }

  private func giveBack(_ bench: ReturnBench) async throws {
    try await bench.giveBack(1, named: Self.name, telling: Self.outcome)
  }

  private func expectBack(_ bench: ReturnBench, _ step: String = "") throws {
    let name = "Barn"
    func text(_ folder: LinuxFolder, _ path: [String]) throws -> String? {
      var folder: any Folder = folder
      for name in path.dropLast() {
        folder = try folder.folder(FileName(made: name), creating: false)
      }
      return try folder.text(path.last ?? "")
    }
    #expect(try text(bench.done, [name, "door.jpg"]) == "Barn/door.jpg", "\(step)")
    #expect(try text(bench.done, [name, "2026", "hay.png"]) == "Barn/2026/hay.png", "\(step)")
    #expect(try text(bench.failed, [name, "2026", "torn.jpg"]) == "Barn/2026/torn.jpg", "\(step)")
    #expect(try text(bench.failed, [name, "cut.jpg"]) == "Barn/cut.jpg", "\(step)")
    // Only what a retry needs is left.
    let left = try bench.folder(1).listing().filter { $0.hasPrefix("picture-") }
    #expect(left == ["picture-3", "picture-4"], "\(step)")
  }

  @Test func `prints' pictures come back in done, the others in failed, under their paths`()
    async throws
  {
    let bench = try bench()
    try await giveBack(bench)
    try expectBack(bench)
    #expect(try bench.done.listing() == ["Barn", "Barn.plist", "Barn.result.plist"])
    #expect(try bench.failed.listing() == ["Barn"])
    let inner = try bench.done.openFolder(FileName(literal: "Barn"), creating: false)
    #expect(try bench.done.status(of: FileName(literal: "Barn")).mode & 0o777 == 0o700)
    #expect(try inner.status(of: FileName(literal: "2026")).mode & 0o777 == 0o700)
    #expect(try inner.status(of: FileName(literal: "door.jpg")).mode & 0o777 == 0o600)
  }

  @Test func `failed pictures wait for room before any of them is copied`() async throws {
    let bench = try bench()
    bench.floor.withLock { $0 = 1 << 60 }
    let steps = Mutex<[String]>([])
    bench.cut.onStep { step in steps.withLock { $0.append(step) } }
    let failure = await #expect(throws: Failure.self) { try await giveBack(bench) }
    #expect(failure?.kind == .machine && failure?.code == "pictures.room")
    #expect(failure?.reason.contains(" needs 0 KiB, ") == false)
    #expect(failure?.reason.hasPrefix("the copies of its pictures need ") == true)
    // Prints' pictures are not copied.
    #expect(try bench.done.listing() == ["Barn"] && bench.failed.listing().isEmpty)
    #expect(!steps.withLock { $0 }.contains { $0.contains("torn.jpg") })
    bench.cut.onStep(nil)
    bench.floor.withLock { $0 = 0 }
    try await giveBack(bench)
    try expectBack(bench)
  }

  @Test func `pictures that cannot be linked into the results wait for room as well`() async throws
  {
    let bench = try bench()
    // As between two mounts of one file system.
    FaultPlan.set(
      .init("linkat", on: "\(bench.scratch.path)/lists/1/picture-", code: 18, isPermanent: true),
      for: bench.scratch.path)
    defer { FaultPlan.set(nil, for: bench.scratch.path) }
    bench.floor.withLock { $0 = 1 << 60 }
    let failure = await #expect(throws: Failure.self) { try await giveBack(bench) }
    #expect(failure?.code == "pictures.room")
    #expect(try bench.done.listing().isEmpty && bench.failed.listing().isEmpty)
    bench.floor.withLock { $0 = 0 }
    try await giveBack(bench)
    try expectBack(bench)
  }

  @Test(arguments: [true, false])
  func `the names of one picture come back as names of one file`(_ arePrints: Bool) async throws {
    let bench = try ReturnBench()
    let folder = try bench.add(1)
    let paths = [["Barn", "a.jpg"], ["Barn", "b", "c.jpg"], ["Barn", "d.jpg"]]
    let first = ListFolder.picture(1)
    try folder.put(first, "a door")
    let sum = try FileCopy.sum(folder.open(first, .read), upTo: 1000)
    for number in 2...3 as ClosedRange<UInt32> {
      try folder.link(first, to: folder, as: ListFolder.picture(number))
    }
    let rows = paths.map { path in
      RollRow(path: path.compactMap { FileName($0) }, inode: 1, modified: 1, sum: sum)
    }
    try RollFile(rows: rows, base: 1).write(in: folder)
    let reads = Mutex(0)
    let print = PhotoOutcome.Print(name: "a", sha256: "", bytes: 1, width: 1, height: 1)
    bench.cut.onStep { step in
      if step.hasPrefix("read picture-") { reads.withLock { $0 += 1 } }
    }
    let photos = paths.map { path in
      PhotoOutcome(
        name: path.dropFirst().joined(separator: "/"), url: "dropped:///a",
        ending: arePrints
          ? .filtered(print) : .failed(code: "jpeg.truncated", reason: "cut", isListed: true))
    }
    // Room for one copy.
    let room = try bench.failed.room()
    bench.floor.withLock { $0 = room.free - min(room.free, 1 << 20) }
    try await bench.giveBack(1, named: Self.name) { () throws(Failure) in
      ListResultsTests.outcome(ListID(1), photos: photos)
    }
    let target = arePrints ? bench.done : bench.failed
    let barn = try target.openFolder(FileName(literal: "Barn"), creating: false)
    let inner = try barn.openFolder(FileName(literal: "b"), creating: false)
    let status = try barn.status(of: FileName(literal: "a.jpg"))
    #expect(try inner.status(of: FileName(literal: "c.jpg")).inode == status.inode)
    #expect(try barn.status(of: FileName(literal: "d.jpg")).inode == status.inode)
    #expect(status.links == 3 && status.mode & 0o777 == 0o600)
    #expect(try inner.text("c.jpg") == "a door")
    #expect(reads.withLock { $0 } == (arePrints ? 0 : 2))
    if !arePrints { #expect(try folder.status(of: first).inode != status.inode) }
  }

  @Test func `an existing folder is not touched`() async throws {
    let bench = try bench()
    _ = try bench.done.openFolder(FileName(literal: "Barn"), creating: true)
    try await giveBack(bench)
    #expect(try bench.done.openFolder(FileName(literal: "Barn"), creating: false).listing() == [])
    #expect(try bench.done.listing().contains("Barn~1"))
    #expect(try bench.failed.listing() == ["Barn"])
  }

  @Test(
    "A return of pictures that is killed at any step, or fails there once, is whole after the next",
    arguments: [Cut.Kind.kill, .fault])
  func everyStep(_ kind: Cut.Kind) async throws {
    var steps = 0
    while true {
      steps += 1
      let bench = try bench()
      bench.cut.set(kind, at: steps)
      try? await giveBack(bench)
      guard let step = bench.cut.step else { break }
      // A folder with its name is whole.
      for (folder, count) in [(bench.done, 2), (bench.failed, 2)] {
        if let barn = try folder.folder(ifThere: FileName(literal: "Barn")) {
          #expect(try barn.names().count == count, "\(kind) at \(step)")
        }
      }
      try bench.restart()
      let isMarked = try bench.standing().isReturned
      try await giveBack(bench)
      #expect(try bench.done.listing() == ["Barn", "Barn.plist", "Barn.result.plist"], "\(step)")
      #expect(try bench.failed.listing() == ["Barn"], "\(kind) at \(step)")
      // Pictures that became prints and were not removed before the end go with the list.
      if !isMarked { try expectBack(bench, "\(kind) at \(step)") }
    }
    #expect(steps > 60)
  }

  @Test(arguments: ["", "a person's list"])
  func `a list of pictures that is lost is made again of its rows`(instead: String) async throws {
    let bench = try bench()
    let folder = try bench.folder(1)
    try folder.remove(ListFolder.list)
    let roll = try #require(try RollFile.read(from: folder))
    let sum = try roll.writeList(to: folder.open(ListFolder.list, .create))
    let text = try #require(try folder.text(ListFolder.list))
    #expect(text.contains("<string>2026/hay.png</string>") && text.contains("dropped:///Barn/"))
    try folder.remove(ListFolder.list)
    if !instead.isEmpty { try folder.put(ListFolder.list, instead) }
    try await bench.giveBack(1, named: Self.name, of: sum, telling: Self.outcome)
    try expectBack(bench)
    #expect(try bench.done.text("Barn.plist") == text && bench.standing().isReturned)
  }

  @Test(arguments: [false, true])
  func `pictures are back before a list that is lost with its rows may go, and come once`(
    isCut: Bool
  ) async throws {
    var steps = 0
    while true {
      steps += 1
      let bench = try bench()
      let folder = try bench.folder(1)
      try folder.remove(ListFolder.list)
      if isCut {
        try folder.open(ListFolder.roll, .write).truncate(to: 5)
      } else {
        try folder.remove(ListFolder.roll)
      }
      bench.cut.set(.kill, at: steps)
      let failure = await #expect(throws: Failure.self) { try await giveBack(bench) }
      let step = bench.cut.step ?? "end"
      let barn = try bench.failed.folder(ifThere: FileName(literal: "Barn"))
      if try OldLists(bench.lists).isRemovable(ListID(1)) {
        #expect(try barn?.names().count == Self.pictures.count, "\(step)")
      }
      if bench.cut.step != nil {
        try bench.restart()
        for _ in 0..<2 { try? await giveBack(bench) }
        #expect(try bench.failed.listing() == ["Barn"], "\(step)")
        continue
      }
      #expect(failure?.code == "list.missing")
      try bench.failed.removeTree(FileName(literal: "Barn"))
      await #expect(throws: Failure.self) { try await giveBack(bench) }
      #expect(try bench.failed.listing().isEmpty)
      break
    }
    #expect(steps > 20)
  }

  @Test func `a list that lost only its rows gives its pictures back under their numbers`()
    async throws
  {
    let bench = try bench()
    try bench.folder(1).remove(ListFolder.roll)
    try await giveBack(bench)
    #expect(try bench.done.listing() == ["Barn.plist", "Barn.result.plist"])
    let barn = try bench.failed.openFolder(FileName(literal: "Barn"), creating: false)
    #expect(try barn.listing() == (1...4).map { "picture-\($0)" })
    #expect(try bench.standing().isReturned)
  }

  @Test func `pictures whose rows cannot be read for a moment keep their names`() throws {
    let bench = try bench()
    FaultPlan.set(
      .init("openat", on: "\(bench.scratch.path)/lists/1/roll", code: 24), for: bench.scratch.path)
    defer { FaultPlan.set(nil, for: bench.scratch.path) }
    let failure = #expect(throws: Failure.self) { try bench.returns.givePictures(of: ListID(1)) }
    #expect(failure?.kind == .machine)
    #expect(try bench.failed.listing().isEmpty)
    for _ in 0..<2 { try bench.returns.givePictures(of: ListID(1)) }
    #expect(try bench.failed.listing() == ["list-1"])
    let back = try bench.failed.openFolder(FileName(literal: "list-1"), creating: false)
    #expect(try back.listing() == ["2026", "cut.jpg", "door.jpg"])
    #expect(try !bench.standing().isReturned)
  }

  @Test func `without an outcome all pictures come back in failed`() async throws {
    let bench = try bench()
    try await bench.giveBack(1, named: Self.name) { () throws(Failure) in
      throw Failure(.final, code: "list.catalog", reason: "damaged")
    }
    #expect(try bench.done.listing() == ["Barn.plist"])
    let barn = try bench.failed.openFolder(FileName(literal: "Barn"), creating: false)
    #expect(try barn.listing() == ["2026", "cut.jpg", "door.jpg"])
  }
}
