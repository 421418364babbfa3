// SPDX-License-Identifier: Apache-2.0
// One open list: its folders, its names that collide, and files that are damaged, gone or unreadable.

import Accept
import Catalog
import Dispatch
import Files
import Linux
import Output
import Support
import Synchronization
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct OpenListTests {
  private let list = ListID(1)

  private func failure(_ act: () throws -> Void) -> Failure? {
    #expect(throws: Failure.self) { try act() }
  }

  @Test func `a list has its terms, its catalog and its name`() async throws {
    try await DiskBench.use { bench in
      try await bench.add(1, SampleList(count: 20) { $0.name = "küche.plist" })
      let open = try OpenList(list, in: bench.folders, to: .look)
      #expect(open.name == "küche" && open.id == list && open.about.owner == 1000)
      #expect(open.terms.filter == .standard && open.catalog.count == 20)
      #expect(try open.catalog.entry(20).name == "Photo 20")
    }
  }

  @Test func `work folders are made by begin, needed by use, and missing after look`() async throws
  {
    try await DiskBench.use { bench in
      try await bench.add(1)
      let looked = try OpenList(list, in: bench.folders, to: .look)
      #expect(failure { _ = try looked.workFolders() } == OpenList.over)
      #expect(failure { _ = try OpenList(list, in: bench.folders, to: .use) }?.kind == .machine)
      _ = try OpenList(list, in: bench.folders, to: .begin).workFolders()
      _ = try OpenList(list, in: bench.folders, to: .use).workFolders()
      #expect(try bench.folders.originals.listing() == ["1"])
      #expect(try bench.folders.prints.listing() == ["barn"])
    }
  }

  @Test func `begin removes unfinished prints of an earlier run, and no other file`() async throws {
    try await DiskBench.use { bench in
      try await bench.add(1)
      _ = try OpenList(list, in: bench.folders, to: .begin)
      let prints = try bench.folders.prints.folder(FileName(literal: "barn"), creating: false)
      for name in [".1-1.print", "Barn.jpg"] { try prints.put(FileName(made: name), "bytes") }
      _ = try OpenList(list, in: bench.folders, to: .use)
      #expect(try prints.listing().count == 2)
      _ = try OpenList(list, in: bench.folders, to: .begin)
      #expect(try prints.listing() == ["Barn.jpg"])
    }
  }

  @Test(arguments: [SampleList.line, "fedcba9876543210"])
  func `a list does not print among the prints of another list, whose readers stay`(
    line: String
  ) async throws {
    try await DiskBench.use { bench in
      try await bench.add(1, .marked { $0.terms.isPrivate = true })
      try bench.leaveStranger(line)
      let prints = try bench.folders.prints.folder(FileName(literal: "barn"), creating: false)
      for name in [".1-1.print", "Barn.jpg"] { try prints.put(FileName(made: name), "bytes") }
      let failure = failure { _ = try OpenList(list, in: bench.folders, to: .begin) }
      #expect(failure?.code == "prints.foreign" && failure?.scope == .one)
      let words = "/barn, its folder of prints, holds the prints of another list"
      #expect(failure?.reason.hasSuffix(words) == true)
      #expect(try prints.listing() == [".1-1.print", ".list", "Barn.jpg"])
      #expect(try !bench.folders.prints.hasReaders(1000, FileName(literal: "barn")))
      // A person has moved that folder away.
      let home = bench.folders.prints
      try home.rename(
        FileName(literal: "barn"), to: home, as: FileName(literal: "b"), replacing: false)
      let own = try OpenList(list, in: bench.folders, to: .begin).workFolders().prints
      #expect(try own.folder.listing().isEmpty)
      let first = try own.sign()?.status().inode
      #expect(try own.folder.listing() == [".list"])
      #expect(try first != nil && own.sign()?.status().inode == first)
      // After a restart of the list a durable mark stays as it is.
      let again = try OpenList(list, in: bench.folders, to: .begin).workFolders().prints
      #expect(try again.sign()?.status().inode == first)
      again.loseSign()
      #expect(try again.sign()?.status().inode != first, "its sync may have failed")
      again.settle()
      #expect(try again.sign() == nil)
    }
  }

  @Test func `prints that appear side by side have one mark`() async throws {
    try await DiskBench.use { bench in
      try await bench.add(1, .marked())
      let prints = try OpenList(list, in: bench.folders, to: .begin).workFolders().prints
      let inodes = Mutex<[UInt64]>([])
      DispatchQueue.concurrentPerform(iterations: 64) { _ in
        let inode = try? prints.sign()?.status().inode
        inodes.withLock { $0.append(inode ?? 0) }
      }
      let found = inodes.withLock { $0 }
      #expect(found.count == 64 && Set(found).count == 1 && found.first != 0)
      let terms = SampleList.marked().terms
      #expect(try terms.mark(of: list)?.claim(on: prints.folder) == .own)
    }
  }

  @Test func `a folder that became another list's gets no print`() async throws {
    try await DiskBench.use { bench in
      try await bench.add(1, .marked())
      let prints = try OpenList(list, in: bench.folders, to: .begin).workFolders().prints
      try bench.leaveStranger()
      let error = #expect(throws: SystemError.self) { _ = try prints.sign() }
      #expect(error?.exists == true && error?.isOfOneThing == true)
    }
  }

  @Test func `a later list of the line takes the folder, and the earlier one is kept out`()
    async throws
  {
    try await DiskBench.use { bench in
      for number in 1...2 as ClosedRange<UInt64> { try await bench.add(number, .marked()) }
      _ = try OpenList(list, in: bench.folders, to: .begin)
      for number in 1...2 as ClosedRange<UInt64> {
        _ = try OpenList(list, in: bench.folders, to: .use)
        let next = try OpenList(ListID(number), in: bench.folders, to: .begin)
        _ = try next.workFolders().prints.sign()
      }
      #expect(
        failure { _ = try OpenList(list, in: bench.folders, to: .use) }?.code == "prints.foreign")
      let folders = bench.folders
      let terms = SampleList.marked().terms
      #expect(try folders.printFolder(of: list, terms) == nil)
      #expect(try folders.printFolder(of: list, terms, orLater: true) != nil)
      #expect(try folders.printFolder(of: ListID(2), terms) != nil)
    }
  }

  @Test func `a new folder of prints admits the group; an existing one keeps its mode`() throws {
    let scratch = try FreshFolder()
    let folders = try StateFolders(
      state: scratch.folder, prints: scratch.folder, done: scratch.folder, failed: scratch.folder)
    let name = FileName(literal: "barn")
    func mode() throws -> UInt32 { try scratch.folder.status(of: name).mode & 0o777 }
    try SampleList().write(list, in: folders.lists)
    _ = try OpenList(list, in: folders, to: .begin)
    #expect(try mode() == 0o750)
    try scratch.folder.setMode(0o700, of: name)
    _ = try OpenList(list, in: folders, to: .begin)
    #expect(try mode() == 0o700)
  }

  @Test(arguments: [ListFolder.about, ListFolder.catalog])
  func `a list without one of its files is final trouble`(name: FileName) async throws {
    try await DiskBench.use { bench in
      try await bench.add(1)
      try bench.folder(of: list).remove(name)
      let found = failure { _ = try OpenList(list, in: bench.folders, to: .begin) }
      #expect(found?.kind == .final)
      #expect(found?.code == (name == ListFolder.about ? "state.about" : "list.gone"))
      // The list's folders are made only for a list that can be opened.
      #expect(try bench.folders.prints.names().isEmpty)
    }
  }

  @Test func `a list without a folder is gone, with advice`() async throws {
    try await DiskBench.use { bench in
      let found = failure { _ = try OpenList(ListID(9), in: bench.folders, to: .look) }
      #expect(found?.code == "list.gone" && found?.advice.isEmpty == false)
    }
  }

  @Test func `damaged files are final trouble`() async throws {
    try await DiskBench.use { bench in
      try await bench.add(1)
      let folder = try bench.folder(of: list)
      let catalog = try folder.open(ListFolder.catalog, .write)
      try catalog.truncate(to: catalog.status().size - 1)
      let found = failure { _ = try OpenList(list, in: bench.folders, to: .look) }
      #expect(found?.kind == .final && found?.code == "catalog.damaged")
      try folder.open(ListFolder.about, .write).truncate(to: 30)
      #expect(
        failure { _ = try OpenList(list, in: bench.folders, to: .look) }?.code == "state.about")
    }
  }

  @Test(arguments: [SimulatedDisk.Call.openFolder, .open, .read, .status])
  func `a disk that fails is the machine's trouble, and passes`(
    call: SimulatedDisk.Call
  ) async throws {
    try await DiskBench.use { bench in
      try await bench.add(1)
      _ = try OpenList(list, in: bench.folders, to: .begin)
      bench.disk.fail(.broken(call))
      #expect(failure { _ = try OpenList(list, in: bench.folders, to: .use) }?.kind == .machine)
      bench.disk.fail(nil)
      _ = try OpenList(list, in: bench.folders, to: .use)
    }
  }

  // MARK: names that collide

  private func settle(_ names: [String], in bench: DiskBench) async throws -> OpenList {
    let sample = SampleList { $0.photos = names.map { ($0, "https://h/a.jpg") } }
    try await bench.add(1, sample)
    let catalog = try CatalogFile(sample.catalog(), limits: OpenList.limits)
    try OpenList.settleNames(catalog, in: bench.folder(of: list))
    return try OpenList(list, in: bench.folders, to: .look)
  }

  @Test func `of prints with one name the later ones get their number`() async throws {
    try await DiskBench.use { bench in
      let open = try await settle(["Barn", "barn.JPG", "Cow", "BARN"], in: bench)
      let names = try (1...4 as ClosedRange<UInt32>).map { number in
        "\(open.printName(number, try open.catalog.entry(number).name, .jpeg))"
      }
      #expect(names == ["Barn.jpg", "barn~2.jpg", "Cow.jpg", "BARN~4.jpg"])
      #expect("\(open.printName(2, "barn", .png))" == "barn~2.png")
    }
  }

  @Test func `without a collision the file is empty; an unusable photo takes no name`()
    async throws
  {
    try await DiskBench.use { bench in
      let open = try await settle(["", "", "Cow"], in: bench)
      #expect(try bench.folder(of: list).text("collisions") == "")
      #expect("\(open.printName(3, "Cow", .jpeg))" == "Cow.jpg")
    }
  }

  @Test func `without the file of the names that collide a list is not opened`() async throws {
    try await DiskBench.use { bench in
      _ = try await settle(["Barn", "barn"], in: bench)
      try bench.folder(of: list).remove(OpenList.collisionsName)
      let found = failure { _ = try OpenList(list, in: bench.folders, to: .look) }
      #expect(found?.kind == .final && found?.code == "list.gone")
    }
  }

  @Test func `names that cannot be written are the machine's trouble`() async throws {
    try await DiskBench.use { bench in
      bench.disk.fail(.broken(.syncFile))
      let sample = SampleList { $0.photos = [("Barn", "https://h/a"), ("barn", "https://h/b")] }
      let folder = try bench.disk.rootFolder.folder(FileName(literal: "1"), creating: true)
      let catalog = try CatalogFile(sample.catalog(), limits: OpenList.limits)
      #expect(failure { try OpenList.settleNames(catalog, in: folder) }?.kind == .machine)
    }
  }

  @Test func `the names of a long list are not settled once its task is cancelled`() async throws {
    let catalog = try CatalogFile(SampleList(count: 4096).catalog(), limits: OpenList.limits)
    let folder = SimulatedDisk().rootFolder
    let found = await Cancelled.run { () throws(Failure) in
      try OpenList.settleNames(catalog, in: folder)
    }
    #expect(found == .cancelled)
  }
}
